package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.hive.common.io.DiskRangeList;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.BufferChunk;
import org.apache.orc.impl.BufferChunkList;
import org.apache.orc.impl.ReaderImpl;

/**
 * A data reader for the ORC library that fetches the columns of the next stripes while one is
 * decoded, as far as the {@link ReadAheadBalance} of the store has room. One stripe is always
 * ahead. Stripe metadata in memory is not read again. Confined to one thread at a time; fetches run
 * on the threads of the store.
 *
 * <p>Invariant: stripes are fetched in order, each at most once. Invariant: room taken from the
 * balance is returned when the stripe is reached, or with {@link #close}.
 */
final class StripesDataReader extends ParallelDataReader {
    /**
     * The most stripe footers that are read together, of some kilobytes each. Without its footer,
     * the columns of a stripe cannot be found.
     */
    private static final int FOOTERS_TOGETHER = 16;

    private final ChecksummedFile content;
    private final ReaderImpl file;
    private final List<StripeInformation> stripes;
    private final boolean[] included;
    private final WantedStripes wanted;
    private final ReadingAhead ahead;
    private final ReadAheadBalance.Processor processor;
    private final Map<Integer, ByteBuffer> footers = new HashMap<>();
    private final Deque<Fetch> fetches = new ArrayDeque<>(); // in order
    private Map<ByteRange, ByteBuffer> fetched = Map.of(); // of the present stripe
    private int next; // the first stripe whose fetch has not begun
    private long readBytes; // of stripes that were handed to the library

    /** The stripes of a file that a reader of some columns reads. */
    interface WantedStripes {
        /** Whether some of the columns must be decoded. */
        boolean isWanted(int stripe);

        /** The metadata of a stripe, if it is in memory. */
        Optional<StripeMetadata> metadata(int stripe);
    }

    /** A fetch of the columns of a stripe. */
    private record Fetch(int stripe, long bytes, FutureTask<Map<ByteRange, ByteBuffer>> task) {}

    /**
     * @param included columns that are read, by the library's column number
     */
    StripesDataReader(
            ChecksummedFile content,
            ReaderImpl file,
            boolean[] included,
            WantedStripes wanted,
            ReadingAhead ahead) {
        super(content, file);
        this.content = requireNonNull(content, "content is null");
        this.file = requireNonNull(file, "file is null");
        this.stripes = file.getStripes();
        this.included = included.clone();
        this.wanted = requireNonNull(wanted, "wanted is null");
        this.ahead = requireNonNull(ahead, "ahead is null");
        this.processor = ahead.balance().open();
    }

    @Override
    ByteBuffer footer(StripeInformation stripe) throws IOException {
        int number = number(stripe.getOffset());
        Optional<ByteBuffer> present = findFooter(number);
        return present.isPresent() ? present.get() : readFooters(number);
    }

    private Optional<ByteBuffer> findFooter(int number) {
        ByteBuffer present = footers.get(number);
        return present != null
                ? Optional.of(present.duplicate())
                : wanted.metadata(number).map(metadata -> metadata.footer().duplicate());
    }

    /** Reads the footer of a stripe together with the footers of the next wanted stripes. */
    private ByteBuffer readFooters(int first) throws IOException {
        List<Integer> missing = new ArrayList<>(List.of(first));
        for (int number = first + 1;
                number < stripes.size() && missing.size() < FOOTERS_TOGETHER;
                number++) {
            if (wanted.isWanted(number) && findFooter(number).isEmpty()) {
                missing.add(number);
            }
        }
        List<ByteBuffer> read =
                content.readAll(
                        missing.stream().map(number -> footerRange(stripes.get(number))).toList());
        for (int i = 0; i < missing.size(); i++) {
            footers.put(missing.get(i), read.get(i));
        }
        return read.getFirst().duplicate();
    }

    @Override
    boolean find(BufferChunk chunk) {
        ByteBuffer present = fetched.get(new ByteRange(chunk.getOffset(), chunk.getLength()));
        if (present != null) {
            chunk.setChunk(present.duplicate());
            return true;
        }
        int number = number(chunk.getOffset());
        int from = (int) (chunk.getOffset() - stripes.get(number).getOffset());
        Optional<ByteBuffer> indexes = wanted.metadata(number).map(StripeMetadata::indexes);
        boolean isIndex =
                indexes.isPresent() && from + chunk.getLength() <= indexes.get().remaining();
        if (isIndex) {
            chunk.setChunk(indexes.get().slice(from, chunk.getLength()));
        }
        return isIndex;
    }

    @Override
    public BufferChunkList readFileData(BufferChunkList list, boolean doForceDirect)
            throws IOException {
        DiskRangeList first = list.get();
        if (first == null) {
            return list;
        }
        int number = number(first.getOffset());
        StripeInformation stripe = stripes.get(number);
        boolean isData = first.getOffset() >= stripe.getOffset() + stripe.getIndexLength();
        if (!isData) {
            return super.readFileData(list, doForceDirect);
        }
        footers.keySet().removeIf(before -> before < number);
        next = Math.max(next, number + 1);
        long bytes = bytes(first);
        processor.waits(readBytes); // the library has decoded what it had
        try {
            beginAhead();
            fetched = take(number);
            beginAhead(); // in the room that this stripe has returned
            return super.readFileData(list, doForceDirect);
        } finally {
            fetched = Map.of();
            readBytes += bytes;
            processor.resumes();
        }
    }

    private static long bytes(DiskRangeList first) {
        long bytes = 0;
        for (DiskRangeList range = first; range != null; range = range.next) {
            bytes += range.getLength();
        }
        return bytes;
    }

    /**
     * Begins the fetches of the next stripes, as far as their footers are known and there is room.
     */
    private void beginAhead() throws IOException {
        for (; next < stripes.size(); next++) {
            if (!wanted.isWanted(next)) {
                continue;
            }
            Optional<ByteBuffer> footer = findFooter(next);
            if (footer.isEmpty()) {
                return;
            }
            List<ByteRange> ranges = ranges(next, footer.get());
            long bytes = ranges.stream().mapToLong(ByteRange::length).sum();
            if (!processor.begin(bytes)) {
                return;
            }
            FutureTask<Map<ByteRange, ByteBuffer>> task = new FutureTask<>(() -> fetch(ranges));
            fetches.add(new Fetch(next, bytes, task));
            if (!ahead.tryHelp(task)) {
                next++;
                return; // it is read when it is reached
            }
        }
    }

    private List<ByteRange> ranges(int number, ByteBuffer footer) throws IOException {
        return OrcErrors.translate(
                path(),
                () ->
                        StripeDataRanges.findAll(
                                content,
                                file,
                                stripes.get(number),
                                new StripeMetadata(ByteBuffer.allocate(0), footer),
                                included));
    }

    private Map<ByteRange, ByteBuffer> fetch(List<ByteRange> ranges) throws IOException {
        ReadAheadBalance.Fetch fetch = ahead.balance().fetching();
        long before = content.unchecked().tally().fetchedBytes();
        long come = 0;
        List<ByteBuffer> read;
        try {
            read = content.readAll(ranges);
            long bytes = ranges.stream().mapToLong(ByteRange::length).sum();
            // What was cached tells nothing about the store; other readers of the file count as
            // well
            come = Math.min(bytes, content.unchecked().tally().fetchedBytes() - before);
        } finally {
            fetch.ended(come);
        }
        Map<ByteRange, ByteBuffer> found = new HashMap<>();
        for (int i = 0; i < ranges.size(); i++) {
            found.put(ranges.get(i), read.get(i));
        }
        return found;
    }

    /** The fetched columns of a stripe; empty if they were not fetched, or the fetch failed. */
    private Map<ByteRange, ByteBuffer> take(int number) throws IOException {
        Map<ByteRange, ByteBuffer> found = Map.of();
        while (!fetches.isEmpty() && fetches.getFirst().stripe <= number) {
            Fetch reached = fetches.removeFirst();
            if (reached.stripe == number) {
                found = await(reached);
            } else {
                drop(reached);
            }
            processor.reached(reached.bytes);
        }
        return found;
    }

    private static Map<ByteRange, ByteBuffer> await(Fetch fetch) throws IOException {
        fetch.task.run(); // does nothing if it has begun
        try {
            return fetch.task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while reading stripe " + fetch.stripe);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException
                    || failed.getCause() instanceof SteleException) {
                return Map.of(); // the read that follows fails, too, or succeeds
            }
            throw new IOException("Cannot read stripe " + fetch.stripe, failed.getCause());
        }
    }

    private static void drop(Fetch fetch) {
        // Not interrupted: other tasks may wait for the thread
        boolean ignored = fetch.task.cancel(false);
    }

    /** The number of the stripe that contains a position of the file. */
    private int number(long position) {
        int number = 0;
        while (number + 1 < stripes.size() && stripes.get(number + 1).getOffset() <= position) {
            number++;
        }
        return number;
    }

    @Override
    public void close() {
        fetches.forEach(StripesDataReader::drop);
        fetches.clear();
        next = stripes.size();
        processor.close();
    }
}
