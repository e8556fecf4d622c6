"""A model in an engine's format, and what is to be known about it."""

from __future__ import annotations

from dataclasses import dataclass, field

# In calls, what stands for the file that the content is written to.
FILE = "{file}"


@dataclass(frozen=True)
class Export:
    """What `export_model` returns.

    Attributes
    ----------
    target : str, "elasticsearch", "solr" and so on
    name : str, the model's name in the engine
    kind : str, the engine's word for this kind of model
    content : str or bytes, the file that is uploaded
    suffix : str, the ending of the file's name
    features : names of the features that the model reads, in the order in which it has them
    attachments : further files, by name: text that is written beside the first
    notes : what happens otherwise than in `predict` without harm, or is to be done
    warnings : where scores may differ from those of `predict`, and the remedy
    calls : lines of a shell that install the file, which is {file} in them
    """

    target: str
    name: str
    kind: str
    content: str | bytes
    suffix: str
    features: tuple[str, ...]
    attachments: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        """The content as bytes."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()
