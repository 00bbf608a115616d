"""The one exception that is meant for people."""


class BreakevenError(Exception):
    """Something a user can act on: what happened, where, and what to do, in one message.

    Programs print the message alone and exit with 1; any other exception is a bug and keeps its
    traceback.
    """
