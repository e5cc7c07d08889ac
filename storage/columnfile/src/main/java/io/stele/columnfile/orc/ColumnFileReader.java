package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.metadata.FileMetadataBytes;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.SequentialReads;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.LongIntervals;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.ColumnSchema;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StripeInformation;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.OrcIndex;
import org.apache.orc.impl.OrcTail;
import org.apache.orc.impl.ReaderImpl;
import org.jspecify.annotations.Nullable;

/**
 * A reader of one column file in the engine, whose cursors and row readers return binary rows or
 * vectors of chosen columns. A sidecar or a Trino worker wrote the file. Columns are found by id; a
 * column that the file does not have reads as null.
 *
 * <p>It holds the decoded file footer and the checksums. Immutable and thread-safe; its cursors are
 * not thread-safe.
 */
public final class ColumnFileReader {
    static final int ABSENT = -1;

    /** Memory of a configuration of the library, a schema and other fixed objects. */
    private static final long BASE_BYTES = 8 << 10;

    private static final long DECODED_BYTES = 8;

    /** Decoded bytes for each stored, compressed byte of a row's data. */
    private static final long DECODED_ROW_BYTES = 4;

    /**
     * 256 KiB: a smaller file is read as a whole with one request instead of its two ends with two.
     */
    private static final int WHOLE_BYTES = 256 << 10;

    /** Streams of values and, for text, of lengths; null streams are small. */
    private static final int STREAMS_A_COLUMN = 2;

    private final String path;
    private final ChecksummedFile content;
    private final ReaderImpl orc;
    private final List<ColumnSchema> columns;
    private final int[] positions;
    private final int lsnPosition;
    private final int rowIdPosition;
    private final Optional<Lsn> ingestLsn;
    private final OptionalLong firstRowId;

    private ColumnFileReader(
            StoredColumnFile file,
            ChecksummedFile content,
            ReaderImpl orc,
            List<ColumnSchema> columns) {
        this.path = file.path();
        this.content = content;
        this.orc = orc;
        this.columns = List.copyOf(columns);
        this.ingestLsn = file.ingestLsn();
        this.firstRowId = file.firstRowId();
        Map<Integer, Integer> positionById = positions(orc.getSchema());
        this.positions = new int[columns.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = positionById.getOrDefault(columns.get(i).id(), ABSENT);
        }
        this.lsnPosition = positionById.getOrDefault(OrcSchemas.LSN_ID, ABSENT);
        this.rowIdPosition = positionById.getOrDefault(OrcSchemas.ROW_ID_ID, ABSENT);
        if (lsnPosition == ABSENT && ingestLsn.isEmpty()) {
            throw corrupt("a column _lsn, or an ingest LSN in the manifest", "neither");
        }
        if (orc.getNumberOfRows() != file.rowCount()) {
            throw corrupt(file.rowCount() + " rows", orc.getNumberOfRows());
        }
    }

    /**
     * Opens a file and reads its checksums and its footer, by one request if its key index has the
     * metadata.
     *
     * @param columns of the returned rows, in this order
     * @throws SteleException CORRUPT_DATA if it is not an ORC file of this entry
     */
    public static ColumnFileReader open(
            ObjectStore store, StoredColumnFile file, List<ColumnSchema> columns)
            throws IOException {
        requireNonNull(store, "store is null");
        return file.indexedMetadata().isPresent()
                ? open(store, file, columns, new HashMap<>())
                : open(file, checksummed(store, file, Optional.empty()), Optional.empty(), columns);
    }

    /**
     * Opens a file and passes on the metadata of stripes. Without metadata in a key index, it reads
     * the first bytes, the last bytes and the checksums, in parallel if the store has read-ahead.
     *
     * @param stripes receives the metadata of the stripes that were read with it
     */
    static ColumnFileReader open(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            Map<Integer, StripeMetadata> stripes)
            throws IOException {
        Optional<IndexedMetadata> place = file.indexedMetadata();
        if (place.isEmpty()) {
            return openEnds(store, file, columns, Optional.empty(), stripes);
        }
        FileMetadata metadata =
                KeyIndexReader.readMetadata(store, file.path(), file.sizeBytes(), place.get());
        Optional<ColumnFileReader> reader = ofMetadata(store, file, columns, metadata, stripes);
        return reader.isPresent()
                ? reader.get()
                : openEnds(
                        store,
                        file,
                        columns,
                        Optional.of(
                                metadata.checksums(
                                        file.path(), file.sizeBytes(), checksumsPath(file))),
                        stripes);
    }

    /** The path of the object that has the checksums of a file. */
    static String checksumsPath(StoredColumnFile file) {
        return file.indexedMetadata().isPresent()
                ? WrittenFile.keyIndexPath(file.path())
                : WrittenFile.checksumsPath(file.path());
    }

    /**
     * @param known the checksums; if empty, the checksums beside the file are read, if there are
     *     any
     */
    private static ChecksummedFile checksummed(
            ObjectStore store, StoredColumnFile file, Optional<FileChecksums> known)
            throws IOException {
        return known.isPresent()
                ? new ChecksummedFile(store, file.path(), file.sizeBytes(), known)
                : ChecksummedFile.open(
                        store, file.path(), file.sizeBytes(), file.checksumBlockBytes());
    }

    /**
     * Opens a file by reading its first and last bytes.
     *
     * @param known the checksums, as in {@link #checksummed}
     * @param stripes receives the metadata of the stripes that were read with it
     */
    static ColumnFileReader openEnds(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            Optional<FileChecksums> known,
            Map<Integer, StripeMetadata> stripes)
            throws IOException {
        if (!ParallelReads.of(store).isParallel()) {
            return open(file, checksummed(store, file, known), Optional.empty(), columns);
        }
        AtomicReference<@Nullable ChecksummedFile> opened = new AtomicReference<>();
        long size = file.sizeBytes();
        ObjectReader raw = store.open(file.path(), size);
        PrefetchedRanges prefetched = new PrefetchedRanges(raw);
        List<ByteRange> ranges = new ArrayList<>();
        if (size <= WHOLE_BYTES) {
            add(ranges, 0, size);
        } else {
            add(ranges, 0, PrefetchedRanges.END_BYTES);
            add(
                    ranges,
                    (size - PrefetchedRanges.END_BYTES)
                            / FileChecksums.BLOCK_BYTES
                            * FileChecksums.BLOCK_BYTES,
                    size);
        }
        List<ParallelReads.Read> reads = new ArrayList<>();
        reads.add(() -> opened.set(checksummed(store, file, known)));
        for (ByteRange range : ranges) {
            reads.add(
                    () -> {
                        byte[] bytes = readRange(store, file, raw, range);
                        synchronized (prefetched) {
                            prefetched.add(range.offset(), bytes);
                        }
                    });
        }
        ParallelReads.of(store).runAll(reads);
        ChecksummedFile content = requireNonNull(opened.get());
        synchronized (prefetched) {
            ChecksummedFile first = content.through(prefetched);
            ReaderImpl orc = openOrc(first, Optional.empty());
            ColumnFileReader reader =
                    new ColumnFileReader(
                            file, content, openOrc(content, Optional.of(tail(orc))), columns);
            reader.addStripes(first, prefetched, stripes);
            return reader;
        }
    }

    private static byte[] readRange(
            ObjectStore store, StoredColumnFile file, ObjectReader reader, ByteRange range)
            throws IOException {
        try {
            return reader.read(range.offset(), range.length());
        } catch (EOFException cut) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected %d bytes, found %d in %s"
                            .formatted(file.sizeBytes(), store.size(file.path()), file.path()),
                    cut);
        }
    }

    private void addStripes(
            ChecksummedFile first,
            PrefetchedRanges prefetched,
            Map<Integer, StripeMetadata> stripes)
            throws IOException {
        for (int number = 0; number < orc.getStripes().size(); number++) {
            StripeInformation stripe = orc.getStripes().get(number);
            long footer = footerOffset(stripe);
            if (prefetched.has(stripe.getOffset(), stripe.getIndexLength())
                    && prefetched.has(footer, stripe.getFooterLength())) {
                stripes.put(number, readStripeMetadata(first, stripe));
            }
        }
    }

    private static long footerOffset(StripeInformation stripe) {
        return stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength();
    }

    /** Decodes the stripe metadata that the file's writer recorded. */
    Map<Integer, StripeMetadata> stripes(FileMetadataBytes written) {
        Map<Integer, StripeMetadata> found = new HashMap<>();
        for (int number = 0; number < orc.getStripes().size(); number++) {
            StripeInformation stripe = orc.getStripes().get(number);
            long start = stripe.getOffset();
            long footer = footerOffset(stripe);
            if (written.hasEnds(start, stripe.getIndexLength(), footer, stripe.getFooterLength())) {
                found.put(
                        number,
                        new StripeMetadata(
                                ByteBuffer.wrap(written.at(start, stripe.getIndexLength())),
                                ByteBuffer.wrap(written.at(footer, stripe.getFooterLength()))));
            }
        }
        return found;
    }

    /** Reads the metadata of a stripe; blocks. */
    StripeMetadata readStripeMetadata(int stripe) throws IOException {
        return readStripeMetadata(content, orc.getStripes().get(stripe));
    }

    private static StripeMetadata readStripeMetadata(
            ChecksummedFile content, StripeInformation stripe) throws IOException {
        List<ByteRange> ranges = new ArrayList<>();
        long footer = footerOffset(stripe);
        add(ranges, footer, footer + stripe.getFooterLength());
        add(ranges, stripe.getOffset(), stripe.getOffset() + stripe.getIndexLength());
        List<ByteBuffer> read = content.readAll(ranges);
        return new StripeMetadata(
                read.size() > 1 ? read.get(1) : ByteBuffer.allocate(0), read.getFirst());
    }

    /**
     * Opens a file by its metadata, without a read; empty if these are only checksums, or the end
     * of the file is too long.
     *
     * @param stripes receives the metadata of the stripes in them
     */
    static Optional<ColumnFileReader> ofMetadata(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            FileMetadata metadata,
            Map<Integer, StripeMetadata> stripes)
            throws IOException {
        if (metadata.isChecksumsAlone()) {
            return Optional.empty();
        }
        Optional<ColumnFileReader> reader =
                ofWritten(store, file, columns, WrittenFileMetadata.of(metadata));
        reader.ifPresent(open -> stripes.putAll(open.stripes(metadata.bytes())));
        return reader;
    }

    /** Opens a file that was just written, without a read; empty if its end is too long. */
    static Optional<ColumnFileReader> ofWritten(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            WrittenFileMetadata end)
            throws IOException {
        Optional<OrcTail> tail = OrcErrors.translate(file.path(), () -> end.tail(file.sizeBytes()));
        if (tail.isEmpty()) {
            return Optional.empty();
        }
        String place = checksumsPath(file);
        // Checksums in a key index contain their block size
        FileChecksums sums =
                file.checksumBlockBytes().isPresent()
                        ? FileChecksums.decode(
                                file.path(),
                                file.sizeBytes(),
                                file.checksumBlockBytes().getAsInt(),
                                place,
                                end.checksums())
                        : FileChecksums.decode(
                                file.path(), file.sizeBytes(), place, end.checksums());
        ChecksummedFile content =
                new ChecksummedFile(store, file.path(), file.sizeBytes(), Optional.of(sums));
        return Optional.of(open(file, content, tail, columns));
    }

    private static ColumnFileReader open(
            StoredColumnFile file,
            ChecksummedFile content,
            Optional<OrcTail> tail,
            List<ColumnSchema> columns)
            throws IOException {
        return new ColumnFileReader(file, content, openOrc(content, tail), columns);
    }

    /**
     * @param tail of the file, if it was read before
     */
    private static ReaderImpl openOrc(ChecksummedFile content, Optional<OrcTail> tail)
            throws IOException {
        Configuration configuration = OrcLibrary.configuration();
        OrcFile.ReaderOptions options =
                OrcFile.readerOptions(configuration)
                        .filesystem(new ColumnFileSystem(content, configuration))
                        .maxLength(content.sizeBytes())
                        .useUTCTimestamp(true)
                        .convertToProlepticGregorian(true);
        tail.ifPresent(options::orcTail);
        Path path = ColumnFileSystem.path(content.path());
        return OrcErrors.translate(
                content.path(), () -> (ReaderImpl) OrcFile.createReader(path, options));
    }

    /**
     * The approximate memory that this holds, in bytes; a decoded footer takes several times its
     * encoded size.
     */
    long retainedBytes() {
        return BASE_BYTES
                + DECODED_BYTES * orc.getSerializedFileFooter().remaining()
                + FileChecksums.sizeBytes(orc.getContentLength(), FileChecksums.BLOCK_BYTES);
    }

    /** A reader of the same file for a compaction that reads it from its beginning to its end. */
    public ColumnFileReader sequential(SequentialReads reads) throws IOException {
        ObjectReader ahead = reads.over(content.unchecked(), sequentialPlan());
        return ahead == content.unchecked() // there is no read-ahead
                ? this
                : new ColumnFileReader(
                        this, openOrc(content.through(ahead), Optional.of(tail(orc))));
    }

    private static OrcTail tail(ReaderImpl orc) throws IOException {
        return new OrcTail(orc.getFileTail(), orc.getSerializedFileFooter().duplicate(), 0);
    }

    /** A reader of the same file by another ORC reader. */
    private ColumnFileReader(ColumnFileReader same, ReaderImpl orc) {
        this.path = same.path;
        this.content = same.content;
        this.orc = orc;
        this.columns = same.columns;
        this.positions = same.positions;
        this.lsnPosition = same.lsnPosition;
        this.rowIdPosition = same.rowIdPosition;
        this.ingestLsn = same.ingestLsn;
        this.firstRowId = same.firstRowId;
    }

    /**
     * The ranges in the order of the library's reads, in whole blocks: the footer of each stripe,
     * then its data. The library does not read the row indexes.
     */
    private List<ByteRange> sequentialPlan() {
        List<ByteRange> plan = new ArrayList<>();
        long end = 0;
        for (StripeInformation stripe : orc.getStripes()) {
            long footer = footerOffset(stripe);
            long data = Math.max(end, blockStart(stripe.getOffset() + stripe.getIndexLength()));
            long footerStart = Math.max(end, blockStart(footer));
            end =
                    Math.min(
                            content.sizeBytes(),
                            blockStart(footer + stripe.getFooterLength() - 1)
                                    + content.blockBytes());
            add(plan, footerStart, end);
            add(plan, data, footerStart);
        }
        return plan;
    }

    private static void add(List<ByteRange> plan, long start, long end) {
        if (end > start) {
            plan.add(new ByteRange(start, Math.toIntExact(end - start)));
        }
    }

    private long blockStart(long position) {
        return position / content.blockBytes() * content.blockBytes();
    }

    public String path() {
        return path;
    }

    /** The columns of the returned rows. */
    public List<ColumnSchema> columns() {
        return columns;
    }

    public long rowCount() {
        return orc.getNumberOfRows();
    }

    /** A cursor over all rows from the first. */
    public ColumnFileCursor cursor() throws IOException {
        return cursor(new RowAssembler(this));
    }

    /**
     * A cursor over all rows from the first, each mapped from the columns of this reader to another
     * schema version.
     */
    public ColumnFileCursor cursor(RowMapping mapping) throws IOException {
        return cursor(new RowAssembler(this, mapping));
    }

    /** A cursor over all rows from the first in batches of column vectors. */
    public ColumnBatches batches() throws IOException {
        RecordReader rows = OrcErrors.translate(path, () -> orc.rows(readOptions()));
        return new ColumnBatches(path, this, rows, newBatchRows(rowCount()));
    }

    /**
     * An ORC reader of some of the file's columns; the other columns of its batches are undefined.
     * It reads ahead if the store has read-ahead.
     *
     * @param ordinal of the first wanted row; earlier rows of its stripe can be read, too
     * @param wanted the stripes that will be read
     */
    RecordReader openRecords(int[] positions, int ordinal, StripesDataReader.WantedStripes wanted)
            throws IOException {
        boolean[] include = new boolean[orc.getSchema().getMaximumId() + 1];
        include[0] = true;
        for (int position : positions) {
            include(include, position);
        }
        long start = orc.getStripes().get(rowGroup(ordinal).stripe()).getOffset();
        Reader.Options options =
                orc.options().include(include).range(start, content.sizeBytes() - start);
        Optional<ReadingAhead> ahead = content.readingAhead();
        if (ahead.isEmpty()) {
            return OrcErrors.translate(path, () -> orc.rows(options));
        }
        StripesDataReader data = new StripesDataReader(content, orc, include, wanted, ahead.get());
        boolean isOpen = false;
        try {
            RecordReader records =
                    OrcErrors.translate(path, () -> orc.rows(options.dataReader(data)));
            isOpen = true;
            return records;
        } finally {
            if (!isOpen) {
                data.close();
            }
        }
    }

    /**
     * The ordinal of the first row of a stripe; for the number after the last stripe, the number of
     * rows.
     */
    int firstOrdinal(int stripe) {
        long rows = 0;
        for (int before = 0; before < stripe; before++) {
            rows += orc.getStripes().get(before).getNumberOfRows();
        }
        return Math.toIntExact(rows);
    }

    /**
     * The position of a column in the file; {@link #ABSENT} if it is not a column of the reader.
     */
    int positionOf(int columnId) {
        for (int i = 0; i < positions.length; i++) {
            if (columns.get(i).id() == columnId) {
                return positions[i];
            }
        }
        return ABSENT;
    }

    /**
     * The number of rows of the chunk that starts at a row. Stripes are split into chunks of {@link
     * ColumnChunk#MAX_ROWS} rows, from their first row on.
     *
     * @param ordinal of a chunk's first row; the result is 0 for the row count of the file
     */
    int chunkRows(int ordinal) {
        long stripeEnd = 0;
        for (StripeInformation stripe : orc.getStripes()) {
            stripeEnd += stripe.getNumberOfRows();
            if (ordinal < stripeEnd) {
                return (int) Math.min(ColumnChunk.MAX_ROWS, stripeEnd - ordinal);
            }
        }
        return 0;
    }

    /**
     * The first row of chunk {@code number} of {@code count} chunks that are spread evenly over the
     * file.
     */
    int sampledChunk(int number, int count) {
        int ordinal = (int) (rowCount() * number / count);
        int first = firstOrdinal(rowCount() == 0 ? 0 : rowGroup(ordinal).stripe());
        return first + (ordinal - first) / ColumnChunk.MAX_ROWS * ColumnChunk.MAX_ROWS;
    }

    private ColumnFileCursor cursor(RowAssembler assembler) throws IOException {
        RecordReader rows = OrcErrors.translate(path, () -> orc.rows(readOptions()));
        return new ColumnFileCursor(path, assembler, rows, newBatchRows(rowCount()));
    }

    /** The row group of a row. */
    RowGroup rowGroup(int ordinal) {
        if (ordinal < 0 || ordinal >= rowCount()) {
            throw new IllegalArgumentException(
                    "Expected an ordinal of 0 to %d in %s, found %d"
                            .formatted(rowCount() - 1, path, ordinal));
        }
        int stride = orc.getRowIndexStride();
        long firstRow = 0;
        List<StripeInformation> stripes = orc.getStripes();
        for (int stripe = 0; ; stripe++) {
            long rows = stripes.get(stripe).getNumberOfRows();
            if (ordinal < firstRow + rows) {
                int group = stride == 0 ? 0 : (int) ((ordinal - firstRow) / stride);
                return new RowGroup(stripe, group);
            }
            firstRow += rows;
        }
    }

    /** Whether the data of row groups are read in parallel. */
    boolean isParallel() {
        return content.isParallel();
    }

    /**
     * The row groups of a stripe that may have rows with wanted values in all columns, by the
     * statistics of its row index; empty if the file has none of these columns.
     *
     * @param wanted the filtered columns and their values
     */
    Optional<BitSet> matchingRowGroups(
            int stripe, StripeMetadata metadata, List<WantedValues> wanted) throws IOException {
        boolean[] included = new boolean[orc.getSchema().getMaximumId() + 1];
        Map<Integer, LongIntervals> filtered = new HashMap<>(); // by the library's column number
        for (WantedValues some : wanted) {
            int position = positionOf(some.column().id());
            if (position != ABSENT) {
                TypeDescription stored = orc.getSchema().getChildren().get(position);
                if (OrcSchemas.isStoredAsLongs(stored, some.column().type())) {
                    filtered.put(stored.getId(), some.values());
                    included[stored.getId()] = true;
                }
            }
        }
        if (filtered.isEmpty()) {
            return Optional.empty();
        }
        included[0] = true;
        StripeInformation in = orc.getStripes().get(stripe);
        OrcIndex index =
                OrcErrors.translate(
                        path,
                        () -> StripeDataRanges.rowIndex(content, orc, in, metadata, included));
        int groups = rowGroup(firstOrdinal(stripe + 1) - 1).index() + 1;
        BitSet matching = new BitSet(groups);
        for (int group = 0; group < groups; group++) {
            boolean mayMatch = true;
            for (Map.Entry<Integer, LongIntervals> column : filtered.entrySet()) {
                OrcProto.RowIndex rows = index.getRowGroupIndex()[column.getKey()];
                mayMatch &= mayMatch(rows, group, column.getValue());
            }
            matching.set(group, mayMatch);
        }
        return Optional.of(matching);
    }

    private static boolean mayMatch(
            OrcProto.@Nullable RowIndex rows, int group, LongIntervals wanted) {
        if (rows == null || group >= rows.getEntryCount()) {
            return true;
        }
        OrcProto.ColumnStatistics statistics = rows.getEntry(group).getStatistics();
        if (statistics.hasNumberOfValues() && statistics.getNumberOfValues() == 0) {
            return false; // all are null
        }
        OrcProto.IntegerStatistics integers = statistics.getIntStatistics();
        if (integers.hasMinimum() && integers.hasMaximum()) {
            return wanted.overlaps(integers.getMinimum(), integers.getMaximum());
        }
        OrcProto.DateStatistics dates = statistics.getDateStatistics();
        return !(dates.hasMinimum() && dates.hasMaximum())
                || wanted.overlaps(dates.getMinimum(), dates.getMaximum());
    }

    /** A reader of one row group. */
    RowGroupReader openRowGroup(RowGroup group) throws IOException {
        return openRowGroups(group.stripe(), Set.of(group.index()), readOptions());
    }

    /**
     * A reader of some row groups of a stripe, whose data are read now, in parallel.
     *
     * @param groups positions in the stripe, from 0
     */
    RowGroupReader openRowGroups(int stripe, Set<Integer> groups, StripeMetadata metadata)
            throws IOException {
        return openRowGroups(stripe, groups, metadata, Map.of());
    }

    /**
     * A reader of some row groups of a stripe, some of whose data are in memory. It retains only
     * the data of its own row groups.
     */
    RowGroupReader openRowGroups(
            int stripe,
            Set<Integer> groups,
            StripeMetadata metadata,
            Map<ByteRange, ByteBuffer> fetched)
            throws IOException {
        StripeInformation in = orc.getStripes().get(stripe);
        StripeDataReader data = new StripeDataReader(content, orc, in, metadata, fetched);
        RowGroupReader reader =
                openRowGroups(stripe, groups, readOptions().dataReader(data)); // reads all
        data.dropFetched();
        return reader;
    }

    /**
     * Reads the data of some row groups of a stripe, in parallel; shared and neighbouring ranges
     * are read once.
     *
     * @param groups positions in the stripe
     * @return the ranges that readers of these row groups request, with their bytes
     */
    Map<ByteRange, ByteBuffer> readRowGroups(
            int stripe, Set<Integer> groups, StripeMetadata metadata) throws IOException {
        StripeInformation in = orc.getStripes().get(stripe);
        boolean[] columns = included();
        Set<ByteRange> wanted = new LinkedHashSet<>();
        for (int group : groups) {
            boolean[] included = new boolean[rowGroups(in)];
            included[group] = true;
            wanted.addAll(
                    OrcErrors.translate(
                            path,
                            () ->
                                    StripeDataRanges.find(
                                            content, orc, in, metadata, columns, included)));
        }
        List<ByteRange> ranges = List.copyOf(wanted);
        List<ByteBuffer> read = content.readAll(ranges);
        Map<ByteRange, ByteBuffer> fetched = new HashMap<>();
        for (int i = 0; i < ranges.size(); i++) {
            fetched.put(ranges.get(i), read.get(i));
        }
        return fetched;
    }

    private RowGroupReader openRowGroups(int number, Set<Integer> groups, Reader.Options options)
            throws IOException {
        StripeInformation stripe = orc.getStripes().get(number);
        boolean[] included = new boolean[rowGroups(stripe)];
        groups.forEach(group -> included[group] = true);
        options.range(stripe.getOffset(), stripe.getLength());
        SelectiveRecordReader reader =
                OrcErrors.translate(path, () -> new SelectiveRecordReader(orc, options, included));
        return new RowGroupReader(
                path,
                new RowAssembler(this),
                reader,
                weightBytes(number, groups.size()),
                rowBytes(number));
    }

    /** The approximate average memory of a decoded row of a stripe, in bytes. */
    long rowBytes(int number) {
        StripeInformation stripe = orc.getStripes().get(number);
        return Long.BYTES * (orc.getSchema().getMaximumId() + 1L)
                + DECODED_ROW_BYTES
                        * stripe.getDataLength()
                        / Math.max(1, stripe.getNumberOfRows());
    }

    private int rowGroups(StripeInformation stripe) {
        int stride = orc.getRowIndexStride();
        return stride == 0 ? 1 : (int) ((stripe.getNumberOfRows() + stride - 1) / stride);
    }

    /** The approximate memory of a reader of {@code groups} row groups of a stripe, in bytes. */
    long weightBytes(int number, int groups) {
        StripeInformation stripe = orc.getStripes().get(number);
        // Every stream has a buffer of the largest chunk size. Files of workers have chunks of 256
        // KiB, so a reader of one row group with twenty streams holds 5 MiB.
        long bufferBytes =
                STREAMS_A_COLUMN * (orc.getSchema().getMaximumId() + 1L) * orc.getCompressionSize();
        return 4096
                + stripe.getDataLength() * groups / rowGroups(stripe)
                + stripe.getIndexLength()
                + bufferBytes;
    }

    TypeDescription fileSchema() {
        return orc.getSchema();
    }

    RowLayout newLayout() {
        return RowLayout.of(columns);
    }

    /**
     * The position in the file of each column of the reader; {@link #ABSENT} if the file does not
     * have it.
     */
    int position(int column) {
        return positions[column];
    }

    int lsnPosition() {
        return lsnPosition;
    }

    int rowIdPosition() {
        return rowIdPosition;
    }

    long ingestLsn() {
        return ingestLsn.map(Lsn::value).orElse(0L);
    }

    long firstRowId() {
        return firstRowId.orElse(0);
    }

    SteleException corrupt(String expected, @Nullable Object found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected %s, found %s in %s".formatted(expected, found, path));
    }

    private Reader.Options readOptions() {
        return orc.options().include(included());
    }

    private boolean[] included() {
        boolean[] include = new boolean[orc.getSchema().getMaximumId() + 1];
        include[0] = true;
        for (int position : positions) {
            include(include, position);
        }
        include(include, lsnPosition);
        include(include, rowIdPosition);
        return include;
    }

    private void include(boolean[] include, int position) {
        if (position != ABSENT) {
            TypeDescription column = orc.getSchema().getChildren().get(position);
            for (int id = column.getId(); id <= column.getMaximumId(); id++) {
                include[id] = true;
            }
        }
    }

    private static int newBatchRows(long rowCount) {
        return (int) Math.max(1, Math.min(OrcLibrary.BATCH_ROWS, rowCount));
    }

    private Map<Integer, Integer> positions(TypeDescription schema) {
        Map<Integer, Integer> positions = new HashMap<>();
        for (int position = 0; position < schema.getChildren().size(); position++) {
            String id =
                    schema.getChildren().get(position).getAttributeValue(OrcSchemas.ID_ATTRIBUTE);
            if (id == null) {
                throw corrupt(
                        "attribute "
                                + OrcSchemas.ID_ATTRIBUTE
                                + " on column "
                                + schema.getFieldNames().get(position),
                        "none");
            }
            positions.put(Integer.parseInt(id), position);
        }
        return positions;
    }
}
