"""Pages in the browser, and what they complain about or ask the network for."""

from __future__ import annotations


class Visits:
    """Opens pages, each in a context of its own: no page sees what another has kept."""

    def __init__(self, browser):
        self.complaints = []
        self._browser, self._contexts = browser, []

    def open(self, path, *, address="", width=1280, height=900, **options):
        """Open the page of a file, with an address that may say what to show."""
        viewport = {"width": width, "height": height}
        context = self._browser.new_context(viewport=viewport, **options)
        self._contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("console", self._note_console)
        page.on("request", self._note_request)
        page.goto(f"{path.as_uri()}{address}")
        return page

    def close(self):
        """Close all pages."""
        for context in self._contexts:
            context.close()

    def _note_console(self, message):
        if message.type == "error":
            self.complaints.append(f"console: {message.text}")

    def _note_request(self, request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"request: {request.url}")
