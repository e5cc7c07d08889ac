package io.stele.connector.read;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bytes of an ORC file that are not its columns' streams: row indexes, footers of stripes, and
 * its end. Collected while it is written. Confined to one thread.
 */
public final class FileMetadataBytes {
    private final TreeMap<Long, byte[]> runs = new TreeMap<>(); // by offset
    private long bytes;

    /** Adds what comes after all that was added; not to be changed any more. */
    public void add(long offset, byte[] more) {
        Map.Entry<Long, byte[]> last = runs.lastEntry();
        checkArgument(
                last == null || last.getKey() + last.getValue().length <= offset,
                "offset must be after what there is: %s",
                offset);
        if (more.length > 0) {
            runs.put(offset, more);
            bytes += more.length;
        }
    }

    public long sizeBytes() {
        return bytes;
    }

    /**
     * Some of them.
     *
     * @throws IllegalArgumentException if not all of these bytes were added
     */
    byte[] at(long offset, long length) {
        byte[] found = new byte[Math.toIntExact(length)];
        int done = 0;
        while (done < found.length) {
            Map.Entry<Long, byte[]> run = runs.floorEntry(offset + done);
            int from = run == null ? 0 : Math.toIntExact(offset + done - run.getKey());
            checkArgument(
                    run != null && from < run.getValue().length,
                    "Expected %s bytes at %s, found %s of them",
                    length,
                    offset,
                    done);
            int count = Math.min(found.length - done, run.getValue().length - from);
            System.arraycopy(run.getValue(), from, found, done, count);
            done += count;
        }
        return found;
    }

    /** The last bytes of the file: so many, or all that end it without a gap. */
    byte[] last(int length) {
        long end = runs.isEmpty() ? 0 : runs.lastKey() + runs.lastEntry().getValue().length;
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
