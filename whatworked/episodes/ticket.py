"""What a host needs to open an episode, in a file or a pipe: no command line names what is played.

Command lines are read by every process of a machine; a file of mode 600 and a pipe are not.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

from whatworked.environments.protocol import Json
from whatworked.episodes.about import About, note_player, read_about
from whatworked.episodes.clock import Clock
from whatworked.episodes.episode import Episode
from whatworked.episodes.folder import EpisodeFolder, write_private
from whatworked.episodes.hosts import host_performers
from whatworked.episodes.performers import Performer
from whatworked.episodes.registry import environment_of
from whatworked.errors import EpisodeError, InvalidOptionError, StorageError
from whatworked.storage.canonical import canonical_json, encodable, sha256
from whatworked.storage.files import read_file, storage_errors, user_path

LARGEST = 1 << 20
_LARGEST_SALT = 1 << 20
_DESCRIPTOR = "fd:"
_READ_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH


class Ticket(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One episode to be opened or gone on with.

    Attributes
    ----------
    environment : str
        Its name.
    instance : str
        Name or file of the instance.
    options : mapping
        The environment's; the others have their defaults.
    folder : str
        Of the episode, a full path.
    salt : str or None
        Path of a file with the private salt.
    player : str
        Who plays, for tables; nobody verifies it.
    """

    environment: str
    instance: str
    options: Mapping[str, Json] = {}
    folder: str
    salt: str | None = None
    player: str = ""

    def opened(self, performers: Mapping[str, Performer] | None = None, clock: Clock | None = None) -> Episode:
        """The episode, begun or gone on with.

        Parameters
        ----------
        performers : mapping from str to Performer, optional
            Who does the work of each kind of effect; what this machine can do unless given.
        clock : Clock, optional
            Where seconds come from.

        Returns
        -------
        Episode

        Raises
        ------
        UnknownNameError
            For a name that does not exist.
        InvalidOptionError
            For options that are not allowed.
        EpisodeError, JournalError, StorageError
            As `Episode`.
        """
        environment = environment_of(self.environment)
        salt = None if self.salt is None else read_salt(Path(self.salt))
        episode = Episode(
            Path(self.folder),
            environment,
            environment.find(self.instance, salt) if salt is not None else environment.find(self.instance),
            self.options,
            salt=salt,
            performers=host_performers() if performers is None else performers,
            clock=clock,
        )
        try:
            if self.player and read_about(episode.folder).player != self.player:
                note_player(episode.folder, About(player=self.player))
        except BaseException:
            episode.close()
            raise
        return episode

    @classmethod
    def of_folder(cls, folder: Path, salt: Path | None = None) -> Ticket:
        """The ticket of an episode that exists, by what its journal says.

        Parameters
        ----------
        folder : Path
            Of the episode.
        salt : Path or None
            File of its salt.

        Returns
        -------
        Ticket

        Raises
        ------
        EpisodeError
            If it has a salt and none is given, or the other way round, or another one.
        JournalError, StorageError
            If the journal cannot be read.
        """
        terms, _, _ = EpisodeFolder(folder).read()
        check_salt(terms.salt, salt, folder)
        return cls(
            environment=terms.environment,
            instance=terms.instance,
            options=terms.options,
            folder=str(folder.absolute()),
            salt=None if salt is None else str(salt.absolute()),
        )


def check_salt(digest: str | None, salt: Path | None, folder: Path) -> None:
    """Refuse a salt that is not the one of an episode; raises `EpisodeError`."""
    if digest is None and salt is not None:
        raise EpisodeError(f"the episode in {folder} was played without a salt; leave --salt away")
    if digest is not None and salt is None:
        raise EpisodeError(f"the episode in {folder} was played with a private salt; give its file with --salt")
    if digest is not None and salt is not None and sha256(read_salt(salt)) != digest:
        raise EpisodeError(f"{salt} is not the salt of the episode in {folder}: its SHA-256 is not {digest[:12]}…")


def read_salt(path: Path) -> bytes:
    """The bytes of a salt.

    Parameters
    ----------
    path : Path
        Its file.

    Returns
    -------
    bytes

    Raises
    ------
    InvalidOptionError
        If it has fewer than 16 bytes, which could be guessed.
    StorageError
        If it cannot be read.
    """
    salt = read_file(user_path(path), _LARGEST_SALT)
    if len(salt) < 16:
        raise InvalidOptionError(
            f"the salt {path} has {len(salt)} bytes, which could be guessed; make one with at least 16, "
            "for instance: head -c 32 /dev/urandom > salt"
        )
    return salt


def ticket_bytes(ticket: Ticket) -> bytes:
    """A ticket as its file holds it.

    Parameters
    ----------
    ticket : Ticket
        Any.

    Returns
    -------
    bytes

    Raises
    ------
    InvalidOptionError
        If a path in it is not UTF-8, which JSON cannot hold.
    """
    try:
        return canonical_json(msgspec.to_builtins(ticket))
    except UnicodeEncodeError:
        named = {ticket.folder, ticket.instance, ticket.salt or ""}
        wrong = " and ".join(sorted(ascii(text) for text in named if encodable(text) != text))
        raise InvalidOptionError(
            f"{wrong or 'a text of the ticket'} is not UTF-8, so no ticket can name it; use another name"
        ) from None


def write_ticket(ticket: Ticket, path: Path) -> Path:
    """Write a ticket into a file that only its owner can read.

    Parameters
    ----------
    ticket : Ticket
        What to write.
    path : Path
        A name that says nothing.

    Returns
    -------
    Path
        The same.

    Raises
    ------
    InvalidOptionError
        If a path in it is not UTF-8.
    StorageError
        If it cannot be written.
    """
    return write_private(path, ticket_bytes(ticket))


def ticket_pipe(ticket: Ticket) -> int:
    """Descriptor from which a child process can read a ticket once, as ``fd:NUMBER``; the caller closes it.

    Parameters
    ----------
    ticket : Ticket
        What to hand over.

    Returns
    -------
    int

    Raises
    ------
    InvalidOptionError
        If it has more bytes than a pipe takes, or a path in it is not UTF-8.
    """
    data = ticket_bytes(ticket)
    if len(data) > 1 << 15:
        raise InvalidOptionError(f"the options have {len(data)} bytes; write the ticket into a file with write_ticket")
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as stream:
        stream.write(data)
    return reading


def read_ticket(place: str) -> Ticket:
    """The ticket of a file or a descriptor.

    Parameters
    ----------
    place : str
        Path, or ``fd:NUMBER``.

    Returns
    -------
    Ticket

    Raises
    ------
    InvalidOptionError
        If it holds something else, or its file can be read by others (where a system has such modes).
    StorageError
        If it cannot be read.
    """
    data = _from_descriptor(place) if place.startswith(_DESCRIPTOR) else _from_private(user_path(place))
    try:
        return msgspec.json.decode(data, type=Ticket)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InvalidOptionError(
            f"{place} is no ticket: {error}; `whatworked serve --help` says how to write one"
        ) from None


def _from_private(path: Path) -> bytes:
    """The bytes of a file that its owner alone can read: it may hold the name of an instance, or of its salt."""
    data = read_file(path, LARGEST)
    with storage_errors(path, "read"):
        mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & _READ_BY_OTHERS:
        raise InvalidOptionError(
            f"the ticket {path} can be read by others (mode {mode:03o}), and a player must not see it; "
            f"run chmod 600 {shlex.quote(str(path))}"
        )
    return data


def _from_descriptor(place: str) -> bytes:
    number = place.removeprefix(_DESCRIPTOR)
    try:
        with os.fdopen(int(number), "rb") as stream:
            return stream.read(LARGEST)
    except (ValueError, OSError) as error:
        raise StorageError(f"cannot read the ticket from descriptor {number!r}: {error}; give a file") from None
