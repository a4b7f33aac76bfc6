"""Between Newton's conventions and MuJoCo's: push, pull, contacts, outputs and reports."""
