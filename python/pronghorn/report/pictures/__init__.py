"""A report's charts as files of their own: SVG and PNG."""

from pronghorn.report.pictures.drawn import Picture as Picture
from pronghorn.report.pictures.drawn import pictures as pictures
from pronghorn.report.pictures.files import write as write
