"""The README as a package index shows it: its pictures and links by the address of the project.

Hatchling runs this when the package is built. In the repository they are relative, so that every branch shows its own.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["ProjectReadme", "with_addresses"]


def with_addresses(text: str, source: str) -> str:
    """Return Markdown in which every relative picture and link leads into the repository at `source`."""
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:|#)", rf"\g<1>{source}/raw/main/", text)
    return re.sub(r"(\]\()(?!https?:|#)", rf"\g<1>{source}/blob/main/", text)


class ProjectReadme(MetadataHookInterface):
    """Sets the field `readme` of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Write the text with addresses into the metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf8")
        readme = with_addresses(text, metadata["urls"]["Source"])
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
