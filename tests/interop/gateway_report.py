"""The page of `report` on the gateway in front of twelve servers that are not ours."""

import sys

import chromium
import report_page
import upstream_servers as upstreams
from report import exit_code


def main():
    with upstreams.twelve() as servers:
        with upstreams.configured({one.name: one.entry() for one in servers}) as gateway:
            report_page.visit("gateway", gateway, "memory__read_graph", listing="grouped")


if __name__ == "__main__":
    chromium.browser()
    main()
    sys.exit(exit_code())
