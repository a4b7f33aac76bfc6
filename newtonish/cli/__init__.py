"""The command line: ``newtonish simulate``, ``newtonish view``, ``newtonish bench`` and others."""
