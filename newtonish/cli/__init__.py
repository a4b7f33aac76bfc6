"""The command line: ``newtonish simulate``, ``newtonish bench`` and ``newtonish info``."""
