package io.stele.cache.page;

import java.util.Locale;

/**
 * How a page lies on disk: in blocks with a checksum each, and the blocks in up to {@value
 * #UNITS_PER_PAGE} units of equal size. A unit is what space is given out in, so that a page that
 * is shorter, the last of a file, takes less.
 *
 * @param pageBytes bytes of a page, a power of two
 * @param blockBytes bytes of a block on disk, checksum included: what is read and checked at least
 */
public record PageGeometry(int pageBytes, int blockBytes) {
    /** 4 x 258 KiB for a page of 1 MiB: the location of a page is four numbers. */
    public static final int UNITS_PER_PAGE = 4;

    /** Before each block's content. */
    public static final int CHECKSUM_BYTES = 4;

    /** Pages of 1 MiB in blocks of 2 KiB: a read of 4 KiB anywhere checks three blocks, or four. */
    public static final PageGeometry DEFAULT = new PageGeometry(1 << 20, 2048);

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
    }

    /** Content of a block. */
    public int payloadBytes() {
        return blockBytes - CHECKSUM_BYTES;
    }

    public int blocksPerUnit() {
        int blocks = Math.ceilDiv(pageBytes, payloadBytes());
        return Math.ceilDiv(blocks, UNITS_PER_PAGE);
    }

    /** Bytes of a unit on disk. */
    public int unitBytes() {
        return blocksPerUnit() * blockBytes;
    }

    /** Content of a unit. */
    public int unitPayloadBytes() {
        return blocksPerUnit() * payloadBytes();
    }

    /** Units that a page of {@code length} bytes takes. */
    public int units(int length) {
        return Math.ceilDiv(length, unitPayloadBytes());
    }
}
