package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.NonBlocking;
import io.stele.protocol.schema.ColumnSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.IntFunction;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over some columns of a column file in file order, one chunk of rows at a time, for
 * aggregations. Cached chunks come from {@link DecodedColumns}; the other chunks are decoded from
 * the file, several at once, and cached. It starts before the first chunk. Confined to one thread
 * at a time.
 */
public final class ColumnChunks implements AutoCloseable {
    /** Chunks decoded at once: milliseconds of work for each switch to a thread that may wait. */
    private static final int AHEAD = 8;

    /** The limit for chunks of long text, of which fewer are decoded at once. */
    private static final long AHEAD_BYTES = 8 << 20;

    private final ColumnFileReader file;
    private final DecodedColumns memory;
    private final IntFunction<Optional<StripeMetadata>> stripes;
    private final List<Column> columns;
    private final ChunkFilter filter;
    private final ChunkPacker packer = new ChunkPacker();
    private final Queue<Ahead> ahead = new ArrayDeque<>();
    private @Nullable ColumnChunk[] chunks = {};
    private int firstOrdinal;
    private int size;
    private @Nullable Decoder decoder; // decodes the columns that were not in memory

    /**
     * A wanted column.
     *
     * @param position in the file
     * @param scale of decimals, and of times that the file stores as decimals
     */
    private record Column(int id, int position, int scale) {}

    /** A chunk that was decoded together with an earlier one. */
    private record Ahead(int first, @Nullable ColumnChunk[] chunks) {}

    /** A decoder of some of the columns from the file. */
    private record Decoder(BitSet columns, RecordReader reader, VectorizedRowBatch batch) {}

    /** The stripes in which some columns must be decoded. */
    private final class MissingStripes implements StripesDataReader.WantedStripes {
        private final BitSet some;

        private MissingStripes(BitSet some) {
            this.some = some;
        }

        @Override
        public boolean isWanted(int stripe) {
            int end = file.firstOrdinal(stripe + 1);
            for (int first = file.firstOrdinal(stripe);
                    first < end;
                    first += ColumnChunk.MAX_ROWS) {
                if (!filter.mayMatch(first, Math.min(ColumnChunk.MAX_ROWS, end - first))) {
                    continue;
                }
                for (int i = some.nextSetBit(0); i >= 0; i = some.nextSetBit(i + 1)) {
                    if (!memory.has(file.path(), columns.get(i).id(), first)) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        public Optional<StripeMetadata> metadata(int stripe) {
            return stripes.apply(stripe);
        }
    }

    /**
     * A cursor that reads all metadata of stripes from the file.
     *
     * @param wanted columns in the reader's schema; columns that the file does not have are ignored
     * @param withLsn whether the LSNs of the rows are wanted, as column {@link OrcSchemas#LSN_ID}
     */
    public ColumnChunks(
            ColumnFileReader file,
            DecodedColumns memory,
            List<ColumnSchema> wanted,
            boolean withLsn) {
        this(file, memory, wanted, withLsn, List.of(), _ -> Optional.empty());
    }

    /**
     * @param filter the wanted values of some columns; chunks without a row that matches all of
     *     them may be skipped
     * @param stripes the metadata of a stripe, if it is in memory
     */
    ColumnChunks(
            ColumnFileReader file,
            DecodedColumns memory,
            List<ColumnSchema> wanted,
            boolean withLsn,
            List<WantedValues> filter,
            IntFunction<Optional<StripeMetadata>> stripes) {
        this.stripes = requireNonNull(stripes, "stripes is null");
        this.file = requireNonNull(file, "file is null");
        this.memory = requireNonNull(memory, "memory is null");
        this.filter = new ChunkFilter(file, filter, stripes);
        List<Column> found = new ArrayList<>();
        for (ColumnSchema column : wanted) {
            int position = file.positionOf(column.id());
            if (position != ColumnFileReader.ABSENT) {
                found.add(new Column(column.id(), position, column.type().scale()));
            }
        }
        if (withLsn && file.lsnPosition() != ColumnFileReader.ABSENT) {
            found.add(new Column(OrcSchemas.LSN_ID, file.lsnPosition(), 0));
        }
        this.columns = List.copyOf(found);
    }

    /**
     * Moves to the next chunk that may match the filter; false at the end. Under {@link
     * NonBlocking} it throws if it would have to wait; a thread that may wait can then repeat the
     * call.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA, naming the file
     */
    public boolean advance() throws IOException {
        int next = firstOrdinal + size;
        int nextSize = file.chunkRows(next);
        while (nextSize > 0 && !filter.mayMatch(next, nextSize)) {
            next += nextSize;
            nextSize = file.chunkRows(next);
        }
        if (nextSize > 0) {
            chunks = load(next, nextSize);
        }
        firstOrdinal = next;
        size = nextSize;
        return size > 0;
    }

    /** The number of rows of the chunk. */
    public int size() {
        return size;
    }

    /** The ordinal of the chunk's first row. */
    public int firstOrdinal() {
        return firstOrdinal;
    }

    /** The values of a wanted column; empty if the file does not have the column. */
    public Optional<ColumnChunk> column(int columnId) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).id() == columnId) {
                return Optional.of(requireNonNull(chunks[i], "no chunk"));
            }
        }
        return Optional.empty();
    }

    /** The LSN of every row, if the file has a common one. */
    public long commonLsn() {
        return file.ingestLsn();
    }

    private @Nullable ColumnChunk[] load(int first, int rows) throws IOException {
        Ahead decoded = ahead.poll();
        if (decoded != null && decoded.first() == first) {
            return decoded.chunks();
        }
        ahead.clear(); // chunks of an earlier call that failed
        @Nullable ColumnChunk[] present = new ColumnChunk[columns.size()];
        BitSet missing = find(first, present);
        if (missing.isEmpty()) {
            return present;
        }
        NonBlocking.check();
        long start = memory.nanoTime();
        Decoder open = open(missing, first);
        seek(open, first);
        decode(open, first, rows, present, start);
        int next = first + rows;
        long bytes = retainedBytes(present);
        for (int i = 1; i < AHEAD && bytes < AHEAD_BYTES; i++) {
            int nextRows = file.chunkRows(next);
            if (nextRows == 0 || !filter.mayMatch(next, nextRows)) {
                break; // after a skipped chunk, wanted ones need a seek
            }
            @Nullable ColumnChunk[] following = new ColumnChunk[columns.size()];
            missing = find(next, following);
            boolean isWanted = !missing.isEmpty();
            missing.andNot(open.columns());
            if (!isWanted || !missing.isEmpty()) {
                break; // all columns are in memory, or other ones are missing
            }
            decode(open, next, nextRows, following, memory.nanoTime());
            ahead.add(new Ahead(next, following));
            bytes += retainedBytes(following);
            next += nextRows;
        }
        return present;
    }

    private static long retainedBytes(@Nullable ColumnChunk[] chunks) {
        long bytes = 0;
        for (ColumnChunk chunk : chunks) {
            bytes += chunk == null ? 0 : chunk.retainedBytes();
        }
        return bytes;
    }

    /** The columns that are not in memory. */
    private BitSet find(int first, @Nullable ColumnChunk[] found) {
        BitSet missing = new BitSet();
        for (int i = 0; i < found.length; i++) {
            Optional<ColumnChunk> chunk = memory.find(file.path(), columns.get(i).id(), first);
            found[i] = chunk.orElse(null);
            missing.set(i, chunk.isEmpty());
        }
        return missing;
    }

    private Decoder open(BitSet missing, int first) throws IOException {
        Decoder open = decoder;
        BitSet wanted = (BitSet) missing.clone();
        if (open != null) {
            wanted.andNot(open.columns());
            if (wanted.isEmpty()) {
                return open;
            }
            wanted.or(open.columns());
            close();
        }
        int[] positions = wanted.stream().map(i -> columns.get(i).position()).toArray();
        VectorizedRowBatch batch =
                file.fileSchema()
                        .createRowBatch(
                                TypeDescription.RowBatchVersion.USE_DECIMAL64,
                                ColumnChunk.MAX_ROWS);
        RecordReader records = file.openRecords(positions, first, new MissingStripes(wanted));
        open = new Decoder(wanted, records, batch);
        decoder = open;
        return open;
    }

    private void seek(Decoder open, int row) throws IOException {
        OrcErrors.translate(
                file.path(),
                () -> {
                    if (open.reader().getRowNumber() != row) {
                        open.reader().seekToRow(row);
                    }
                    return row;
                });
    }

    /**
     * Decodes the chunks that were not found.
     *
     * @param start time of the start of the work
     */
    private void decode(
            Decoder open, int first, int rows, @Nullable ColumnChunk[] target, long start)
            throws IOException {
        VectorizedRowBatch batch = open.batch();
        boolean any = OrcErrors.translate(file.path(), () -> open.reader().nextBatch(batch));
        if (!any || batch.size != rows) {
            throw file.corrupt(rows + " rows from row " + first + " on", any ? batch.size : 0);
        }
        BitSet decoded = new BitSet();
        for (int i = 0; i < target.length; i++) {
            if (target[i] == null) {
                Column column = columns.get(i);
                target[i] = packer.pack(batch.cols[column.position()], rows, column.scale());
                decoded.set(i);
            }
        }
        // One pass over the file decodes all columns, so the time of a single column cannot be
        // measured
        long nanos = (memory.nanoTime() - start) / Math.max(1, decoded.cardinality());
        for (int i = decoded.nextSetBit(0); i >= 0; i = decoded.nextSetBit(i + 1)) {
            memory.decoded(
                    file.path(),
                    columns.get(i).id(),
                    first,
                    requireNonNull(target[i], "no chunk"),
                    nanos);
        }
    }

    @Override
    public void close() throws IOException {
        Decoder open = decoder;
        decoder = null;
        if (open != null) {
            open.reader().close();
        }
    }
}
