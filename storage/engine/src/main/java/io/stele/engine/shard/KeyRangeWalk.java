package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.objectstore.SequentialReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the keys of any number of files, one range of keys after the other. It holds the
 * sorted hashes of all keys in the range, and reads one file after the other, a few of them ahead:
 * its memory does not depend on the number of files. Confined to one thread; blocks.
 *
 * <p>Invariant: the ranges follow each other, from the least key to the greatest. A range that has
 * too many keys is divided by a sample of them, and begun again.
 */
final class KeyRangeWalk {
    /** 4,096 samples of a full range: parts of it are as large as intended within a few percent. */
    private static final int MAX_SAMPLES = 1 << 12;

    /** Hashes that come twice: seldom more than one of a duplicate key, which ends the search. */
    private static final int REPEATED_AT_ONCE = 1 << 10;

    /** 8: files whose first ranges are fetched ahead, where the store is remote. */
    private static final int FILES_AHEAD = 8;

    private static final byte[] LEAST = {};

    private final TableFiles files;
    private final List<ColumnFile> walked;
    private final int maxKeys;
    private final Runnable goOn;
    private final Deque<byte[]> bounds = new ArrayDeque<>(); // between ranges
    private final List<byte[]> samples = new ArrayList<>();
    private final KeyHashes hashes;
    private long leftKeys; // in ranges to come, and the present one
    private byte[] low = LEAST;
    private byte @Nullable [] high;
    private boolean isBegun;
    private byte @Nullable [] repeated;

    /**
     * @param maxKeys of a range
     * @param goOn called now and then; throws when the walk is useless
     */
    KeyRangeWalk(TableFiles files, List<ColumnFile> walked, int maxKeys, Runnable goOn) {
        this.files = requireNonNull(files, "files is null");
        this.walked = List.copyOf(walked);
        if (maxKeys < 2) {
            throw new IllegalArgumentException(
                    "Expected ranges of 2 keys or more, found " + maxKeys);
        }
        this.maxKeys = maxKeys;
        this.goOn = requireNonNull(goOn, "goOn is null");
        this.leftKeys = walked.stream().mapToLong(file -> file.entry().rowCount()).sum();
        this.hashes = new KeyHashes((int) Math.min(maxKeys, leftKeys));
    }

    /** Moves to the next range; false at the end, or if a key is {@link #repeated}. */
    boolean next() throws IOException {
        if (isBegun) {
            byte[] end = high;
            if (end == null) {
                return false;
            }
            leftKeys -= hashes.count();
            low = end;
        }
        isBegun = true;
        high = bounds.poll();
        while (!collect()) {
            if (!divide()) {
                return false;
            }
        }
        hashes.sort();
        return true;
    }

    /** A key that comes more than once, if the walk has found that by chance. */
    Optional<byte[]> repeated() {
        return Optional.ofNullable(repeated);
    }

    /** Whether a key of the range may be in the files: if not, it certainly is not. */
    boolean mayContain(KeyIndexCursor key) {
        return hashes.contain(key);
    }

    /** A key of the range that comes twice in the files. */
    Optional<byte[]> findTwice() throws IOException {
        KeyHashes repeated = hashes.repeated();
        for (int from = 0; from < repeated.count(); from += REPEATED_AT_ONCE) {
            Optional<byte[]> found = findTwice(repeated.part(from, REPEATED_AT_ONCE));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<byte[]> findTwice(KeyHashes some) throws IOException {
        Set<ByteBuffer> keys = new HashSet<>();
        List<byte[]> found = new ArrayList<>(1);
        boolean unused =
                forEach(
                        walked,
                        (_, cursor) -> {
                            if (some.contain(cursor)) {
                                byte[] key = cursor.key();
                                if (!keys.add(ByteBuffer.wrap(key))) {
                                    found.add(key);
                                }
                            }
                            return found.isEmpty();
                        });
        return found.stream().findFirst();
    }

    /** A step of a walk; returns whether it goes on. */
    @FunctionalInterface
    interface Step {
        boolean at(ColumnFile file, KeyIndexCursor cursor) throws IOException;
    }

    /** Walks over the keys of files in the range; false if a step ended it. */
    boolean forEach(List<ColumnFile> some, Step step) throws IOException {
        Iterator<ColumnFile> left = some.stream().filter(this::overlapsRange).iterator();
        int mostOpen = files.parallelReads().isParallel() ? FILES_AHEAD : 1;
        Deque<OpenFile> open = new ArrayDeque<>();
        try {
            while (true) {
                while (open.size() < mostOpen && left.hasNext()) {
                    open.add(open(left.next()));
                }
                OpenFile next = open.peek();
                if (next == null) {
                    return true;
                }
                goOn.run();
                if (!forEach(next, step)) {
                    return false;
                }
                open.remove().reads.close();
            }
        } finally {
            open.forEach(file -> file.reads.close());
        }
    }

    /** A file whose keys in the range are being fetched. */
    private record OpenFile(ColumnFile file, SequentialReads reads, KeyIndexCursor cursor) {}

    private OpenFile open(ColumnFile file) throws IOException {
        SequentialReads reads = files.sequentialReads();
        boolean isOpen = false;
        try {
            KeyIndexCursor cursor = file.keyIndex().cursor(reads, low, high);
            reads.begin();
            isOpen = true;
            return new OpenFile(file, reads, cursor);
        } finally {
            if (!isOpen) {
                reads.close();
            }
        }
    }

    private boolean forEach(OpenFile open, Step step) throws IOException {
        KeyIndexCursor cursor = open.cursor;
        boolean isFromStart = Arrays.compareUnsigned(open.file.minKey(), low) >= 0;
        boolean isThere = isFromStart ? cursor.advance() : cursor.seek(low);
        while (isThere && isBelow(cursor)) {
            if (!step.at(open.file, cursor)) {
                return false;
            }
            isThere = cursor.advance();
        }
        return true;
    }

    private boolean overlapsRange(ColumnFile file) {
        return Arrays.compareUnsigned(file.maxKey(), low) >= 0 && isBelow(file.minKey());
    }

    private boolean isBelow(byte[] key) {
        byte[] end = high;
        return end == null || Arrays.compareUnsigned(key, end) < 0;
    }

    private boolean isBelow(KeyIndexCursor cursor) {
        byte[] end = high;
        return end == null
                || Arrays.compareUnsigned(
                                cursor.keyArray(), 0, cursor.keyLength(), end, 0, end.length)
                        < 0;
    }

    /** Collects the hashes of the range; false if it has too many keys. */
    private boolean collect() throws IOException {
        hashes.clear();
        samples.clear();
        int distance = Math.max(1, maxKeys / MAX_SAMPLES);
        return forEach(
                walked,
                (_, cursor) -> {
                    if (hashes.count() == maxKeys) {
                        return false;
                    }
                    if (hashes.count() % distance == 0) {
                        samples.add(cursor.key());
                    }
                    hashes.add(cursor);
                    return true;
                });
    }

    /** Divides the range, of which a part was collected; false if it has one key many times. */
    private boolean divide() {
        samples.sort(Arrays::compareUnsigned);
        byte[] greatest = samples.getLast();
        // Three quarters of what fits, if all keys there are distributed as those collected so far
        double part = 0.75 * maxKeys / Math.max(keysUpTo(greatest), maxKeys);
        int distance = Math.max(1, (int) (part * samples.size()));
        List<byte[]> between = new ArrayList<>();
        byte[] last = low;
        for (int i = distance; i < samples.size(); i += distance) {
            if (Arrays.compareUnsigned(samples.get(i), last) > 0) {
                last = samples.get(i);
                between.add(last);
            }
        }
        if (between.isEmpty() && Arrays.compareUnsigned(greatest, low) > 0) {
            between.add(greatest);
        }
        if (between.isEmpty()) {
            repeated = low;
            return false;
        }
        if (high != null) {
            bounds.addFirst(high);
        }
        between.reversed().forEach(bounds::addFirst);
        high = bounds.removeFirst();
        return true;
    }

    /**
     * An estimate of the keys from the range's least key to another one. The keys collected so far
     * are those of the first files: of files that follow each other, they are no sample of all.
     */
    private long keysUpTo(byte[] greatest) {
        long overlapping =
                walked.stream()
                        .filter(file -> file.entry().overlaps(low, greatest))
                        .mapToLong(file -> file.entry().rowCount())
                        .sum();
        // A range between bounds was to fit, and has a few too many; else it is divided once more
        long inRange = high == null ? leftKeys : 2L * maxKeys;
        return Math.min(overlapping, inRange);
    }
}
