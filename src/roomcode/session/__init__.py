"""Sessions on disk: what was asked, done and said in a project, kept so that nothing but an unfinished step is lost.

This package knows events and files; it knows nothing of agents, models and tools.
"""

from roomcode.session.errors import SessionError
from roomcode.session.folder import LAST, NEW, Held, SessionFolder, all_folders, user_folder
from roomcode.session.forking import requests_in
from roomcode.session.infos import SessionInfo
from roomcode.session.reading import SessionReader
from roomcode.session.recorder import Recorder, Snapshot, unsaved_notice
from roomcode.session.records import Header, OutcomeRecord, Reason, Setup, TurnRecord, Turns
from roomcode.session.state import SessionState, state_of
from roomcode.session.writing import SessionFile

__all__ = [
    "LAST",
    "NEW",
    "Header",
    "Held",
    "OutcomeRecord",
    "Reason",
    "Recorder",
    "SessionError",
    "SessionFile",
    "SessionFolder",
    "SessionInfo",
    "SessionReader",
    "SessionState",
    "Setup",
    "Snapshot",
    "TurnRecord",
    "Turns",
    "all_folders",
    "requests_in",
    "state_of",
    "unsaved_notice",
    "user_folder",
]
