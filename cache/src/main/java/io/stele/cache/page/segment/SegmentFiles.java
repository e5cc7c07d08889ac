package io.stele.cache.page.segment;

import io.stele.cache.page.PageBlocks;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import io.stele.cache.page.segment.CacheFiles.CacheFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files {@code <segment, 8 digits>.pages} of a directory: units one after the other, each with
 * blocks of one page ({@link PageBlocks}). Opened when first needed and kept open.
 *
 * <p>Thread-safe; writing a unit while another thread reads it gives that thread blocks that do not
 * verify.
 */
final class SegmentFiles {
    private static final Pattern NAME = Pattern.compile("(\\d{8})\\.pages");

    private final SegmentLayout layout;
    private final CacheFiles files;
    private final ScratchBuffers scratch;
    private final PageBlocks blocks;
    private final int payloadBytes;
    private final int blockBytes;
    private final int unitPayloadBytes;
    private final AtomicReferenceArray<@Nullable CacheFile> segments;
    private final ReentrantLock opening = new ReentrantLock();

    SegmentFiles(
            SegmentLayout layout, int capacityUnits, CacheFiles files, ScratchBuffers scratch) {
        PageGeometry geometry = layout.geometry();
        this.layout = layout;
        this.files = files;
        this.scratch = scratch;
        this.blocks = new PageBlocks(geometry);
        this.payloadBytes = geometry.payloadBytes();
        this.blockBytes = geometry.blockBytes();
        this.unitPayloadBytes = geometry.unitPayloadBytes();
        this.segments =
                new AtomicReferenceArray<>(Math.ceilDiv(capacityUnits, layout.unitsPerSegment()));
    }

    /** The segment that a file of this name is, if it is one. */
    static OptionalInt segment(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches()
                ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
                : OptionalInt.empty();
    }

    static String name(int segment) {
        return String.format(Locale.ROOT, "%08d.pages", segment);
    }

    /**
     * Reads a part of a page; {@code false} if some block of it is not what it should be.
     *
     * @param units where those of the page lie that are read, by their number in it
     */
    boolean read(PageKey key, int[] units, int offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        ByteBuffer raw = scratch.take();
        try {
            int done = 0;
            while (done < length) {
                int position = offset + done;
                int unit = position / unitPayloadBytes;
                int inUnit = position - unit * unitPayloadBytes;
                int count = Math.min(length - done, unitPayloadBytes - inUnit);
                int firstBlock = inUnit / payloadBytes;
                int endBlock = (inUnit + count - 1) / payloadBytes + 1;
                raw.clear().limit((endBlock - firstBlock) * blockBytes);
                long start = layout.offset(units[unit]) + (long) firstBlock * blockBytes;
                open(layout.segment(units[unit])).read(raw, start);
                int pageBlock = unit * (unitPayloadBytes / payloadBytes) + firstBlock;
                int skip = inUnit - firstBlock * payloadBytes;
                if (!blocks.decode(key, pageBlock, raw, skip, buffer, bufferOffset + done, count)) {
                    return false;
                }
                done += count;
            }
            return true;
        } finally {
            scratch.give(raw);
        }
    }

    /**
     * Writes units of a page.
     *
     * @param units where they go, by their number in the page; negative: not written
     * @param pageOffset where the bytes begin in the page, at the beginning of a unit
     */
    void write(PageKey key, int[] units, int pageOffset, byte[] bytes, int offset, int length)
            throws IOException {
        ByteBuffer raw = scratch.take();
        try {
            for (int unit = 0; unit < units.length; unit++) {
                if (units[unit] < 0) {
                    continue;
                }
                int start = unit * unitPayloadBytes - pageOffset;
                int count = Math.min(unitPayloadBytes, length - start);
                raw.clear();
                int pageBlock = unit * (unitPayloadBytes / payloadBytes);
                blocks.encode(key, pageBlock, bytes, offset + start, count, raw);
                raw.flip();
                open(layout.segment(units[unit])).write(raw, layout.offset(units[unit]));
            }
        } finally {
            scratch.give(raw);
        }
    }

    private CacheFile open(int segment) throws IOException {
        CacheFile file = segments.get(segment);
        return file != null ? file : openNow(segment);
    }

    private CacheFile openNow(int segment) throws IOException {
        opening.lock();
        try {
            CacheFile file = segments.get(segment);
            if (file == null) {
                file = files.open(name(segment));
                segments.set(segment, file);
            }
            return file;
        } finally {
            opening.unlock();
        }
    }

    void close() throws IOException {
        for (int i = 0; i < segments.length(); i++) {
            CacheFile file = segments.get(i);
            if (file != null) {
                file.close();
            }
        }
    }
}
