"""Secrets in recorded traffic: found, and replaced by stand-ins wherever they occur.

names.py     which headers, parameters and fields hold secrets, by their names
ledger.py    the secrets that were found, each with its stand-in; texts with the stand-ins put in
pairs.py     values beside such names: in URLs, forms, JSON, and in one of them within another
urls.py      secrets in URLs
headers.py   secrets in headers
fields.py    secrets in what is posted: forms, multipart, JSON
texts.py     secrets in pages, scripts and data
strings.py   many texts searched in one pass"""

from pronghorn.redaction.ledger import Ledger

__all__ = ["Ledger"]
