package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The planned byte ranges of a stripe's data, merged into chunks, each of which is read with one
 * request at its first use. Confined to one driver.
 */
final class FileChunks {
    /** A larger range is in no chunk, and is read in pieces. */
    static final long MAX_BYTES = 8 << 20;

    private final Reader reader;
    private final NavigableMap<Long, Chunk> chunks = new TreeMap<>(); // by offset

    /** A reader of bytes of the file. */
    @FunctionalInterface
    interface Reader {
        byte[] read(long offset, int length) throws IOException;
    }

    /**
     * @param maxGapBytes below this size, the bytes between two ranges cost less than a request
     */
    FileChunks(List<ReadAhead.Range> ranges, long maxGapBytes, Reader reader) {
        this.reader = requireNonNull(reader, "reader is null");
        for (ReadAhead.Range range : merged(ranges, maxGapBytes)) {
            chunks.put(range.offset(), new Chunk(range));
        }
    }

    private static List<ReadAhead.Range> merged(List<ReadAhead.Range> ranges, long maxGapBytes) {
        List<ReadAhead.Range> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(ReadAhead.Range::offset));
        List<ReadAhead.Range> merged = new ArrayList<>();
        for (ReadAhead.Range range : sorted) {
            if (range.length() > MAX_BYTES) {
                continue;
            }
            ReadAhead.Range last = merged.isEmpty() ? null : merged.getLast();
            if (last != null
                    && range.offset() <= last.end() + maxGapBytes
                    && range.end() - last.offset() <= MAX_BYTES) {
                long end = Math.max(last.end(), range.end());
                merged.set(
                        merged.size() - 1, new ReadAhead.Range(last.offset(), end - last.offset()));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }

    /**
     * The bytes of a chunk from an offset on.
     *
     * @return null: the offset is in no chunk
     */
    @Nullable Slice find(long offset) throws IOException {
        Map.Entry<Long, Chunk> entry = chunks.floorEntry(offset);
        if (entry == null || offset >= entry.getValue().range.end()) {
            return null;
        }
        Slice bytes = entry.getValue().load();
        int start = (int) (offset - entry.getKey());
        return bytes.slice(start, bytes.length() - start);
    }

    /** The bytes of the chunks that were read. */
    long retainedBytes() {
        return chunks.values().stream().mapToLong(Chunk::retainedBytes).sum();
    }

    private final class Chunk {
        private final ReadAhead.Range range;
        private @Nullable Slice bytes;

        Chunk(ReadAhead.Range range) {
            this.range = range;
        }

        Slice load() throws IOException {
            Slice loaded = bytes;
            if (loaded == null) {
                loaded = Slices.wrappedBuffer(reader.read(range.offset(), (int) range.length()));
                bytes = loaded;
            }
            return loaded;
        }

        long retainedBytes() {
            return bytes == null ? 0 : range.length();
        }
    }
}
