"""``newtonish bench``: engines that take turns, what is measured of them, and how it is shown."""
