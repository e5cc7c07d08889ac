package io.stele.columnfile.metadata;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A mutable collection of the bytes of an ORC file that are not its columns' streams: row indexes,
 * stripe footers and the end of the file. The writer of the file collects them in memory, on one
 * thread.
 */
public final class FileMetadataBytes {
    private final TreeMap<Long, byte[]> runs = new TreeMap<>(); // by offset
    private long bytes;

    /** Adds a run after all earlier runs. The array must not be changed any more. */
    public void add(long offset, byte[] more) {
        Map.Entry<Long, byte[]> last = runs.lastEntry();
        if (last != null && last.getKey() + last.getValue().length > offset) {
            throw new IllegalArgumentException("offset must be after what there is: " + offset);
        }
        if (more.length > 0) {
            runs.put(offset, more);
            bytes += more.length;
        }
    }

    public long sizeBytes() {
        return bytes;
    }

    /**
     * A copy of a range.
     *
     * @throws IllegalArgumentException if not all bytes of the range were added
     */
    public byte[] at(long offset, long length) {
        byte[] found = new byte[Math.toIntExact(length)];
        int done = 0;
        while (done < found.length) {
            Map.Entry<Long, byte[]> run = runs.floorEntry(offset + done);
            int from = run == null ? 0 : Math.toIntExact(offset + done - run.getKey());
            if (run == null || from >= run.getValue().length) {
                throw new IllegalArgumentException(
                        "Expected %d bytes at %d, found %d of them"
                                .formatted(length, offset, done));
            }
            int count = Math.min(found.length - done, run.getValue().length - from);
            System.arraycopy(run.getValue(), from, found, done, count);
            done += count;
        }
        return found;
    }

    /** Whether both ranges were added: the beginning and the end of a stripe. */
    public boolean hasEnds(long offset, long length, long lastOffset, long lastLength) {
        return has(offset, length) && has(lastOffset, lastLength);
    }

    private boolean has(long offset, long length) {
        long position = offset;
        while (position < offset + length) {
            Map.Entry<Long, byte[]> run = runs.floorEntry(position);
            if (run == null || run.getKey() + run.getValue().length <= position) {
                return false;
            }
            position = run.getKey() + run.getValue().length;
        }
        return true;
    }

    /** The end of the last run, exclusive: the size of the file, if its writing is complete. */
    public long end() {
        Map.Entry<Long, byte[]> last = runs.lastEntry();
        return last == null ? 0 : last.getKey() + last.getValue().length;
    }

    /** The runs by their offsets, in order; must not be changed. */
    SortedMap<Long, byte[]> runs() {
        return Collections.unmodifiableSortedMap(runs);
    }

    /**
     * The last {@code length} bytes of the file, or fewer: all bytes up to the end without a gap.
     */
    public byte[] last(int length) {
        long end = end();
        long start = end;
        for (Map.Entry<Long, byte[]> run : runs.descendingMap().entrySet()) {
            if (run.getKey() + run.getValue().length < start || end - start >= length) {
                break;
            }
            start = run.getKey();
        }
        byte[] found = at(start, end - start);
        return found.length <= length
                ? found
                : Arrays.copyOfRange(found, found.length - length, found.length);
    }
}
