package io.stele.cache.page;

import java.util.Locale;

/**
 * The arithmetic of the units of a file, which the page cache fetches and stores as a whole. A page
 * has several units; they are numbered from 0 through all pages. No unit spans two pages, so the
 * last unit of a page may be shorter.
 *
 * @param pageBytes bytes of a page
 * @param unitBytes bytes of a unit, at most a page
 */
record PageUnits(int pageBytes, int unitBytes) {
    PageUnits {
        if (unitBytes < 1 || unitBytes > pageBytes) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected units of 1 to %d bytes, found %d",
                            pageBytes,
                            unitBytes));
        }
    }

    private int perPage() {
        return Math.ceilDiv(pageBytes, unitBytes);
    }

    /** The number of the unit that contains a byte of the file. */
    long of(long offset) {
        long page = offset / pageBytes;
        return page * perPage() + (offset - page * pageBytes) / unitBytes;
    }

    /** The number of the page that contains a unit. */
    long page(long unit) {
        return unit / perPage();
    }

    /** The offset of a unit in its page. */
    int offsetInPage(long unit) {
        return (int) (unit % perPage()) * unitBytes;
    }

    /** The start of a unit in the file. */
    long start(long unit) {
        return page(unit) * pageBytes + offsetInPage(unit);
    }

    /** The end of a unit in the file, unless the file is shorter. */
    long end(long unit) {
        return Math.min(start(unit) + unitBytes, (page(unit) + 1) * pageBytes);
    }
}
