"""Which browser program to start, how, and what its failure means."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["FLAGS", "LOCAL_ONLY", "find_browsers", "may_sandbox", "why"]

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
_PLACES = {
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    ),
}
# The browser's own user interface is never seen: without its parts a tab opens faster. The list takes the place of
# Playwright's, so what Playwright switches off is in it too.
_FEATURES_OFF = (
    "AimEnabled,AutofillServerCommunication,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,"
    "HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,MediaRouter,NetworkTimeServiceQuerying,"
    "OptimizationHints,PaintHolding,PreconnectToSearch,ThirdPartyStoragePartitioning,Translate,"
    "WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,WebUIOmniboxPopup"
)
FLAGS = (
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    # Its handlers detach themselves and would outlive the browser.
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    f"--disable-features={_FEATURES_OFF}",
    "--js-flags=--max-old-space-size=512",
)
LOCAL_ONLY = (
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost , EXCLUDE [::1]",
    "--no-proxy-server",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-webrtc-hw-encoding",
)


def find_browsers(wanted: str = "") -> Iterator[str]:
    """Programs to try, best first: the one asked for, else Chromium and its relatives that this system has."""
    if wanted:
        yield shutil.which(wanted) or wanted
        return
    for name in _NAMES:
        if found := shutil.which(name):
            yield found
    for place in _PLACES.get(sys.platform, ()):
        if Path(place).is_file():
            yield place


def may_sandbox() -> bool:
    """Whether the browser can be asked to run in its own sandbox."""
    # Chromium refuses to run sandboxed as root.
    return not (hasattr(os, "geteuid") and os.geteuid() == 0)


def why(text: str) -> str:
    """The one line of a long error of the launcher that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "shared librar" in line or "ermission denied" in line]
    line = (telling or lines or ["no reason given"])[0].rpartition("[err]")[2]
    line = line.removeprefix("BrowserType.launch:").strip()
    return "it ended at once" if "has been closed" in line else line[:200]
