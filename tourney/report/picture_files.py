"""The pictures of a report as files: PNG or SVG, drawn without a browser."""

from typing import Literal, TypeAlias

import vl_convert

from tourney.report.charts import Picture

PictureFormat: TypeAlias = Literal["png", "svg"]

SCALE = 2.0
"""How many pixels of a file there are for a pixel of the picture, so that it is sharp on fine screens."""


def picture_file(picture: Picture, form: PictureFormat) -> bytes:
    """Returns the content of a file with the picture."""
    specification = picture.for_file()
    if form == "svg":
        return str(vl_convert.vegalite_to_svg(specification)).encode()
    return bytes(vl_convert.vegalite_to_png(specification, scale=SCALE))
