"""Every error a user can cause, one class each.

The command line prints the message of any :class:`WhatWorkedError` and exits with code 2; it never shows a traceback
for one. A message says the offending value, what is allowed, and the next step.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from whatworked.wording import first_few


class WhatWorkedError(Exception):
    """Base of all errors raised on purpose."""


class InvalidMaskError(WhatWorkedError, ValueError):
    """A mask that is not a 0/1 string of the right length."""


class InvalidSurfaceError(WhatWorkedError, ValueError):
    """A response surface whose parts do not fit together."""


class InvalidArtifactError(WhatWorkedError, ValueError):
    """A submitted prediction table with one or more offences; the message lists all of them."""


class UnknownNameError(WhatWorkedError, LookupError):
    """A condition, family, source, method or option that does not exist."""


class SourceUnavailableError(WhatWorkedError):
    """No route leads to a source's raw data on this machine.

    Attributes
    ----------
    why : tuple of str
        The reasons alone, without the source's name and what to do, where they are known apart from the message.
    """

    def __init__(self, message: str, why: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.why = why


class DigestMismatchError(WhatWorkedError):
    """Bytes whose SHA-256 differs from the recorded one."""


class TooLargeError(DigestMismatchError):
    """More bytes than the expected file has; the rest was not read."""


class RawDataError(WhatWorkedError, ValueError):
    """A raw file that has the right digest or none, but not the expected content."""


class ManifestError(WhatWorkedError, ValueError):
    """A source manifest that cannot be read or contradicts itself."""


class StorageError(WhatWorkedError, OSError):
    """A folder or file that cannot be read or written (full disk, read-only, locked)."""


class JournalError(StorageError):
    """A journal that is damaged, was altered or belongs to other work; it is left as it is."""


class DeclarationError(WhatWorkedError, ValueError):
    """A workflow declaration that contradicts itself."""


class MetricDisagreementError(WhatWorkedError):
    """A metric and its second, independent computation give different values."""


class InvalidOutcomeError(WhatWorkedError, ValueError):
    """A prediction whose score or fingerprint is no finite number, or whose utility is outside [0, 1]."""


class ExecutionError(WhatWorkedError):
    """One or more configurations failed to run."""


class TransferError(ExecutionError):
    """Something that cannot be sent to a worker process, or back from it.

    Attributes
    ----------
    cause : str
        What the process said, in one line.
    """

    def __init__(self, cause: str) -> None:
        super().__init__(
            f"something cannot be sent to a worker process: {cause}; define it in a module that the process can import"
        )
        self.cause = cause


class UnsupportedSystemError(WhatWorkedError):
    """A system that lacks what a command needs, as Windows does for worker processes held to limits."""


class ReferenceTableError(WhatWorkedError):
    """A reference table that is missing, altered or of an unknown schema."""


class PluginError(WhatWorkedError):
    """An estimator, policy or family from outside that cannot be loaded or breaks its contract."""


class AlteredPluginError(PluginError):
    """A plug-in's file, or one that it imports, whose bytes are not the stated ones; nothing of it was run."""


class RunError(WhatWorkedError):
    """A benchmark run, or a packed one, that is altered, incomplete or of another schema."""


class RecordError(WhatWorkedError, ValueError):
    """An agent's log, a record made from one, or its world manifest, that is broken or breaks a stated limit."""


class UnknownFormatError(RecordError):
    """A log that no reader of records knows, or that more than one does."""


class NotJudgeableError(RecordError):
    """A run whose log lacks what judging it needs, such as any result of an action."""


class EpisodeError(WhatWorkedError):
    """An episode that cannot be gone on with, replayed or scored: other rules, another instance, other results."""


class InstanceError(WhatWorkedError, ValueError):
    """An instance of an environment, or a script of actions for it, that is broken or contradicts itself."""


class QuestionError(WhatWorkedError, ValueError):
    """A closed question whose file breaks a rule, or that is asked with other fields than it has."""


class JudgeError(WhatWorkedError):
    """A judge that cannot be asked on: its key is refused, it does not exist, or it stays out of reach."""


class CapReachedError(JudgeError):
    """The next call could exceed what the user allowed to be spent; what was answered is kept."""


class MissingReplyError(JudgeError):
    """A replay needs a reply that the journal of calls does not hold."""


class InvalidOptionError(WhatWorkedError, ValueError):
    """A command or function argument outside what is allowed."""


class MissingExtraError(WhatWorkedError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


class SandboxUnavailableError(WhatWorkedError):
    """No sandbox works on this machine, so no stranger's code is run; the message names the cure.

    Attributes
    ----------
    reason, fix : str
        What is wrong, and what to do about it.
    """

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(f"{reason}; {fix}")
        self.reason = reason
        self.fix = fix


class InvalidCodeError(WhatWorkedError, ValueError):
    """A text that cannot be run as a program: too long, or with characters that no program has."""


def plain(text: str) -> str:
    """The characters of a text, whose class may say something else of it: a member of an enumeration its name.

    Examples
    --------
    >>> from enum import Enum
    >>> class Source(str, Enum):
    ...     WINE = "wine"
    >>> str(Source.WINE), plain(Source.WINE)
    ('Source.WINE', 'wine')
    """
    return str.__str__(text)


def nearest(name: str, allowed: Iterable[str], n: int = 3, cutoff: float = 0.5) -> list[str]:
    """Up to `n` of the allowed names that are nearest to one, the nearest first, whatever their case.

    Where only the case differs, that name alone.

    Examples
    --------
    >>> nearest("WINE", ["nile", "wine", "wine__d6"]), nearest("Wien", ["nile", "wine"])
    (['wine'], ['wine'])
    """
    folded: dict[str, list[str]] = {}
    for known in allowed:
        folded.setdefault(known.casefold(), []).append(known)
    wanted = plain(name).casefold()
    near = [wanted] if wanted in folded else difflib.get_close_matches(wanted, folded, n=n, cutoff=cutoff)
    return [known for one in near for known in folded[one]][:n]


def unknown_name(kind: str, name: object, allowed: Iterable[str]) -> UnknownNameError:
    """Build the error for an unknown name, offering the nearest ones.

    Parameters
    ----------
    kind : str
        What the name was meant to be, for instance ``"condition"``.
    name : object
        What was given; anything but a text is unknown, whatever it is.
    allowed : iterable of str
        All names that exist.

    Returns
    -------
    UnknownNameError
        To be raised by the caller.

    Examples
    --------
    >>> print(unknown_name("condition", "spambas", ["spambase", "wine"]))
    unknown condition 'spambas'; did you mean spambase? (2 exist: spambase, wine)
    """
    names = list(allowed)
    near = nearest(name, names) if isinstance(name, str) else []
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return UnknownNameError(f"unknown {kind} {_in_one_line(name)}{hint} ({len(names)} exist: {first_few(names, 12)})")


def _in_one_line(name: object) -> str:
    try:
        return " ".join(f"{name!r:.200}".split())
    except Exception:  # a representation runs code of others
        return f"<{type(name).__name__} that cannot be shown>"
