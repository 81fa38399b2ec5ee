"""Many documents as one, each a part with its own title, footer and page numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.document import Block, Document, Heading, Items, Part


def collection(title: str, subtitle: str, documents: Sequence[Document]) -> Document:
    """The documents one behind the other, after a list of them; traces are left out."""
    blocks: list[Block] = [
        Items(tuple((_entry(document),) for document in documents), numbered=True)
    ]
    for document in documents:
        blocks.append(Part(document.title, document.subtitle, document.footer))
        blocks += map(_deeper, document.blocks)
    return Document(title, subtitle, tuple(blocks), keywords=("attention", "worksheet"))


def _entry(document: Document) -> str:
    return " — ".join(filter(None, [document.title, document.subtitle, document.footer]))


def _deeper(block: Block) -> Block:
    """Below the part's own heading."""
    return replace(block, level=block.level + 1) if isinstance(block, Heading) else block
