package io.stele.cache.page;

import java.util.Locale;

/**
 * The layout of a page on the cache's disks: blocks with a checksum each, grouped into units of
 * equal size. A unit is the smallest amount that is fetched and cached. So a page of which little
 * is read, or the short last page of a file, takes less space than a whole page.
 *
 * @param pageBytes bytes of a page, a power of two
 * @param blockBytes bytes of a block on disk, with its checksum: the smallest amount that is read
 *     and verified
 * @param maxUnits the most units of a page, from 1 to {@value #MAX_UNITS}
 */
public record PageGeometry(int pageBytes, int blockBytes, int maxUnits) {
    /** The most units of a page: each has one bit in an index entry. */
    public static final int MAX_UNITS = 16;

    /** Units of a group; if more than one of them is cached, the group has space for all. */
    public static final int GROUP_UNITS = 4;

    /** The bytes of the checksum before each block's content. */
    public static final int CHECKSUM_BYTES = 4;

    /** Smaller units would cost more requests to a store than they save in bytes. */
    private static final int WANTED_UNIT_BYTES = 64 << 10;

    private static final int BLOCK_BYTES = 2048;

    /**
     * Pages of 1 MiB in 16 units of 66 KiB and blocks of 2 KiB: a read of 4 KiB anywhere checks
     * three blocks, or four.
     */
    public static final PageGeometry DEFAULT = ofPages(1 << 20);

    public PageGeometry {
        if (Integer.bitCount(pageBytes) != 1 || pageBytes < 1024 || pageBytes > 1 << 20) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a page size that is a power of two from 1 KiB to 1 MiB, found %d",
                            pageBytes));
        }
        if (blockBytes < 64 || blockBytes > pageBytes) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a block size from 64 to %d bytes, found %d",
                            pageBytes,
                            blockBytes));
        }
        if (maxUnits < 1 || maxUnits > MAX_UNITS) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected 1 to %d units a page, found %d",
                            MAX_UNITS,
                            maxUnits));
        }
    }

    /** A layout with as many units as possible. */
    public PageGeometry(int pageBytes, int blockBytes) {
        this(pageBytes, blockBytes, MAX_UNITS);
    }

    /**
     * The product's layout of pages of this size. A page of fewer than {@link #GROUP_UNITS} units
     * has one unit, because two would take the space of a whole group.
     */
    public static PageGeometry ofPages(int pageBytes) {
        int wanted = pageBytes / WANTED_UNIT_BYTES;
        int units = wanted < GROUP_UNITS ? 1 : Math.min(wanted, MAX_UNITS);
        return new PageGeometry(pageBytes, Math.min(BLOCK_BYTES, pageBytes), units);
    }

    /** The content bytes of a block. */
    public int payloadBytes() {
        return blockBytes - CHECKSUM_BYTES;
    }

    public int blocksPerUnit() {
        int blocks = Math.ceilDiv(pageBytes, payloadBytes());
        return Math.ceilDiv(blocks, maxUnits);
    }

    /** The bytes of a unit on disk. */
    public int unitBytes() {
        return blocksPerUnit() * blockBytes;
    }

    /** The content bytes of a unit. */
    public int unitPayloadBytes() {
        return blocksPerUnit() * payloadBytes();
    }

    /** The number of units of a page of {@code length} bytes. */
    public int units(int length) {
        return Math.ceilDiv(length, unitPayloadBytes());
    }

    /** The number of units of a full page. */
    public int unitsPerPage() {
        return units(pageBytes);
    }
}
