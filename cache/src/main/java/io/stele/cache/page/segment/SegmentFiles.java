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
 * The segment files of a cache directory, through which page units are read and written. A file
 * {@code <segment, 8 digits>.pages} is a sequence of units, each with blocks of one page ({@link
 * PageBlocks}). Each file is opened at its first use and stays open.
 *
 * <p>Thread-safe. If a thread reads a unit while another thread writes it, the blocks do not
 * verify.
 */
final class SegmentFiles implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("(\\d{8})\\.pages");

    private final SegmentStoreOptions options;
    private final CacheFiles files;
    private final ScratchBuffers scratch;
    private final PageBlocks blocks;
    private final int payloadBytes;
    private final int blockBytes;
    private final int unitPayloadBytes;
    private final int blocksPerUnit;
    private final AtomicReferenceArray<@Nullable CacheFile> segments;
    private final ReentrantLock opening = new ReentrantLock();

    SegmentFiles(
            SegmentStoreOptions options,
            int capacityUnits,
            CacheFiles files,
            ScratchBuffers scratch) {
        PageGeometry geometry = options.geometry();
        this.options = options;
        this.files = files;
        this.scratch = scratch;
        this.blocks = new PageBlocks(geometry);
        this.payloadBytes = geometry.payloadBytes();
        this.blockBytes = geometry.blockBytes();
        this.unitPayloadBytes = geometry.unitPayloadBytes();
        this.blocksPerUnit = geometry.blocksPerUnit();
        this.segments =
                new AtomicReferenceArray<>(Math.ceilDiv(capacityUnits, options.unitsPerSegment()));
    }

    /** The number of the segment whose file has this name; empty if it is no segment file. */
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
     * Reads a part of a page; {@code false} if some block does not verify. Adjacent units are read
     * together.
     *
     * @param places of the groups of the page that are read
     */
    boolean read(PageKey key, int[] places, int offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        ByteBuffer raw = scratch.take();
        try {
            int done = 0;
            while (done < length) {
                int position = offset + done;
                int unit = position / unitPayloadBytes;
                int place = places[unit / Places.GROUP];
                int inUnit = position - unit * unitPayloadBytes;
                int room = (endOfRoom(place, unit) - unit) * unitPayloadBytes;
                int count = Math.min(length - done, room - inUnit);
                int firstBlock = inUnit / payloadBytes;
                int endBlock = (inUnit + count - 1) / payloadBytes + 1;
                raw.clear().limit((endBlock - firstBlock) * blockBytes);
                int from = Places.unit(place, unit);
                long start = options.offset(from) + (long) firstBlock * blockBytes;
                open(options.segment(from)).read(raw, start);
                int pageBlock = unit * blocksPerUnit + firstBlock;
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

    /** The first later unit of the page that is not adjacent to this unit on disk. */
    private static int endOfRoom(int place, int unit) {
        return Places.isWhole(place) ? (unit / Places.GROUP + 1) * Places.GROUP : unit + 1;
    }

    /**
     * Writes units of a page, and copies the cached units of their groups; adjacent units are
     * written together.
     *
     * @param pageLength length of the whole page
     * @param pageOffset offset of the bytes in the page, at the beginning of a unit
     */
    void write(
            PageKey key,
            Placement placement,
            int pageLength,
            int pageOffset,
            byte[] bytes,
            int offset,
            int length)
            throws IOException {
        ByteBuffer raw = scratch.take();
        try {
            for (int group = 0; group < Places.GROUPS; group++) {
                if (placement.source(group) != Places.NONE) {
                    copy(placement, group, pageLength, raw);
                }
            }
            int unit = 0;
            while (unit < PageGeometry.MAX_UNITS) {
                if ((placement.mask() & 1 << unit) == 0) {
                    unit++;
                    continue;
                }
                int place = placement.place(unit / Places.GROUP);
                int end = unit + 1;
                while (end < endOfRoom(place, unit) && (placement.mask() & 1 << end) != 0) {
                    end++;
                }
                int start = unit * unitPayloadBytes - pageOffset;
                int count = Math.min((end - unit) * unitPayloadBytes, length - start);
                raw.clear();
                blocks.encode(key, unit * blocksPerUnit, bytes, offset + start, count, raw);
                int to = Places.unit(place, unit);
                open(options.segment(to)).write(raw.flip(), options.offset(to));
                unit = end;
            }
        } finally {
            scratch.give(raw);
        }
    }

    /**
     * Copies blocks unchanged: they verify for their page and their number in it, not for their
     * place in the file.
     */
    private void copy(Placement placement, int group, int pageLength, ByteBuffer raw)
            throws IOException {
        int unit = Integer.numberOfTrailingZeros(Places.groupIn(placement.copied(), group));
        int count = Math.min(unitPayloadBytes, pageLength - unit * unitPayloadBytes);
        raw.clear().limit(Math.ceilDiv(count, payloadBytes) * blockBytes);
        int from = Places.unit(placement.source(group), unit);
        open(options.segment(from)).read(raw, options.offset(from));
        int to = Places.unit(placement.place(group), unit);
        open(options.segment(to)).write(raw.flip(), options.offset(to));
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

    /** Closes all files, also after failures; throws the first failure. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (int i = 0; i < segments.length(); i++) {
            CacheFile file = segments.get(i);
            if (file != null) {
                try {
                    file.close();
                } catch (IOException e) {
                    failure = failure == null ? e : failure;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
