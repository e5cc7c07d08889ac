package io.stele.cache.page;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The codec of the blocks of pages on the cache's disks, each with a checksum (big-endian):
 *
 * <pre>
 * 0      checksum  4  CRC32C of the content, exclusive-or 32 bits made of the page's key and the
 *                     number of the block in its page
 * 4      content      blockBytes - 4; zeros behind the end of the page
 * </pre>
 *
 * <p>Invariant: a block verifies only as the block of the page that it was written for. So a unit
 * that was assigned to another page meanwhile, half written when the process ended, or not written
 * yet, reads as damaged, never as another page's bytes. This needs no sync and no order of writes.
 *
 * <p>Immutable; buffers belong to the caller.
 */
public final class PageBlocks {
    private final int blockBytes;
    private final int payloadBytes;

    public PageBlocks(PageGeometry geometry) {
        this.blockBytes = geometry.blockBytes();
        this.payloadBytes = geometry.payloadBytes();
    }

    /**
     * Encodes content as whole blocks into {@code target} from its position on; sets its limit to
     * its capacity.
     *
     * @param firstBlock the number of the first block in its page
     */
    public void encode(
            PageKey key,
            int firstBlock,
            byte[] content,
            int offset,
            int length,
            ByteBuffer target) {
        CRC32C crc = new CRC32C();
        int block = firstBlock;
        for (int done = 0; done < length; done += payloadBytes) {
            int count = Math.min(payloadBytes, length - done);
            int start = target.position();
            target.putInt(0).put(content, offset + done, count);
            for (int zero = count; zero < payloadBytes; zero++) {
                target.put((byte) 0);
            }
            int end = target.position();
            target.putInt(start, checksum(crc, key, block, target, start));
            target.clear().position(end);
            block++;
        }
    }

    /**
     * Verifies whole blocks in {@code source}, which starts at block {@code firstBlock} of its
     * page, and copies some of their content. Changes the position and limit of {@code source}.
     *
     * @param skip bytes of content of the first block that are not copied
     * @param length bytes to copy; the blocks must contain exactly these
     * @return whether all blocks verify; if not, part of {@code buffer} may have been written
     */
    public boolean decode(
            PageKey key,
            int firstBlock,
            ByteBuffer source,
            int skip,
            byte[] buffer,
            int bufferOffset,
            int length) {
        CRC32C crc = new CRC32C();
        int block = firstBlock;
        int start = 0;
        int copied = 0;
        int from = skip;
        while (copied < length) {
            int found = source.limit(start + blockBytes).getInt(start);
            if (found != checksum(crc, key, block, source, start)) {
                return false;
            }
            int count = Math.min(payloadBytes - from, length - copied);
            source.get(
                    start + PageGeometry.CHECKSUM_BYTES + from,
                    buffer,
                    bufferOffset + copied,
                    count);
            copied += count;
            from = 0;
            start += blockBytes;
            block++;
        }
        return true;
    }

    /**
     * The checksum of the block at {@code start}; sets the buffer's position and limit to the end
     * of the block.
     */
    private int checksum(CRC32C crc, PageKey key, int block, ByteBuffer buffer, int start) {
        crc.reset();
        buffer.limit(start + blockBytes).position(start + PageGeometry.CHECKSUM_BYTES);
        crc.update(buffer);
        long owner = PageKey.mix(key.high() + block) ^ key.low();
        return (int) crc.getValue() ^ (int) (owner >>> 32);
    }
}
