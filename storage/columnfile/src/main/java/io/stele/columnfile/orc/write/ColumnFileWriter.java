package io.stele.columnfile.orc.write;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.ChecksummingWriter;
import io.stele.columnfile.orc.ColumnBatches;
import io.stele.columnfile.orc.ColumnFileSystem;
import io.stele.columnfile.orc.OrcLibrary;
import io.stele.columnfile.orc.OrcSchemas;
import io.stele.columnfile.orc.ScaledColumn;
import io.stele.columnfile.orc.WrittenFileMetadata;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.predicate.StatsCollector;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DateColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.OrcConf;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.jspecify.annotations.Nullable;

/**
 * A writer of one column file, for flush, compaction and bulk loads. The file is plain ORC with the
 * table's columns, {@code _row_id} if there is no primary key, {@code _lsn}, and {@link
 * ScaledColumn}s; a file that is to be ingested has neither {@code _row_id} nor {@code _lsn}. The
 * writer also collects the statistics for the file's manifest entry.
 *
 * <p>Invariant: the file is not visible before {@link #finish}, and {@link #close} without {@link
 * #finish} publishes nothing. Confined to one thread.
 */
public final class ColumnFileWriter implements AutoCloseable {
    private static final int MIN_CHUNK_BYTES = 4 << 10;
    private static final int NONE = -1; // no such column

    private final ChecksummingWriter output;
    private final LastBytes lastBytes;
    private final StripeMetadataRecorder recorder;
    private final String path;
    private final ObjectStore store;
    private final ColumnFileOptions options;
    private final TypeDescription fileSchema; // without the columns that the sample adds
    private final RowLayout layout;
    private final ColumnAppender[] appenders;
    private final StatsCollector stats;
    private final VectorSketches sketches;
    private final int rowIdColumn;
    private final int lsnColumn;
    private final List<ColumnRange> ranges = new ArrayList<>(); // of columns that are copied

    /** The full batches before the choice of encodings; empty once the ORC writer exists. */
    private final List<VectorizedRowBatch> sample = new ArrayList<>();

    private VectorizedRowBatch batch;
    private @Nullable Writer writer;
    private @Nullable ScaledVectors scaled; // exists with the ORC writer
    private long rowCount;
    private final BitSet dictionaryColumns; // positions of columns that users configured so
    private long rowBytes;
    private long minLsn = Long.MAX_VALUE;
    private long maxLsn;

    private ColumnFileWriter(
            ObjectStore store,
            String path,
            ChecksummingWriter output,
            TableSchema schema,
            ColumnFileOptions options,
            boolean isIngested) {
        this.store = store;
        this.path = path;
        this.output = output;
        this.lastBytes =
                new LastBytes(new BufferedOutputStream(new FlushOnCloseStream(output), 1 << 16));
        this.recorder = new StripeMetadataRecorder(lastBytes);
        this.options = options;
        this.fileSchema =
                isIngested ? OrcSchemas.tableSchema(schema) : OrcSchemas.fileSchema(schema);
        this.layout = RowLayout.of(schema.columns());
        this.appenders = new ColumnAppender[layout.count()];
        for (int i = 0; i < appenders.length; i++) {
            appenders[i] = ColumnAppender.of(layout.value(i));
        }
        this.stats = new StatsCollector(layout);
        this.sketches = new VectorSketches(schema.columns());
        this.dictionaryColumns = new BitSet();
        for (int columnId : schema.options().dictionaryColumns()) {
            dictionaryColumns.set(schema.indexOf(columnId));
        }
        this.rowIdColumn = isIngested || schema.hasPrimaryKey() ? NONE : layout.count();
        this.lsnColumn = isIngested ? NONE : fileSchema.getChildren().size() - 1;
        this.batch = newBatch();
    }

    /** Starts a file whose checksums the caller stores; the summary contains them. */
    public static ColumnFileWriter create(
            ObjectStore store, String path, TableSchema schema, ColumnFileOptions options)
            throws IOException {
        requireNonNull(schema, "schema is null");
        requireNonNull(options, "options is null");
        return new ColumnFileWriter(
                store, path, ChecksummingWriter.createAlone(store, path), schema, options, false);
    }

    /**
     * The same of a file whose rows get their LSN, and row ids, by the commit that ingests it; for
     * {@link #add(BinaryRow)} alone.
     */
    public static ColumnFileWriter createIngested(
            ObjectStore store, String path, TableSchema schema, ColumnFileOptions options)
            throws IOException {
        requireNonNull(schema, "schema is null");
        requireNonNull(options, "options is null");
        return new ColumnFileWriter(
                store, path, ChecksummingWriter.createAlone(store, path), schema, options, true);
    }

    /**
     * Adds a row, in the order of the calls. The row is copied.
     *
     * @param row in the layout of the schema's columns
     * @param rowId the row's generated id; ignored if the table has a primary key
     */
    public void add(BinaryRow row, long lsn, long rowId) throws IOException {
        int at = batch.size;
        if (rowIdColumn != NONE) {
            ((LongColumnVector) batch.cols[rowIdColumn]).vector[at] = rowId;
        }
        ((LongColumnVector) batch.cols[lsnColumn]).vector[at] = lsn;
        minLsn = Math.min(minLsn, lsn);
        maxLsn = Math.max(maxLsn, lsn);
        add(row);
    }

    /**
     * Adds a row of a file that is to be ingested.
     *
     * @param row as in {@link #add(BinaryRow, long, long)}
     */
    public void add(BinaryRow row) throws IOException {
        int at = batch.size;
        for (int i = 0; i < appenders.length; i++) {
            appenders[i].append(row, i, batch.cols[i], at);
        }
        stats.add(row);
        rowCount++;
        rowBytes += row.length();
        batch.size = at + 1;
        if (batch.size == OrcLibrary.BATCH_ROWS) {
            batchFull();
        }
    }

    /** Whether rows of a table can be written by {@link #addPicked}. */
    public static boolean copiesColumns(TableSchema schema) {
        return schema.columns().stream().allMatch(column -> ColumnCopier.copies(column.type()));
    }

    /**
     * Adds rows of other files, in the order of the picks, copied column by column.
     *
     * @param picked from files whose readers have the columns of this file
     * @return the approximate size of the rows in bytes
     */
    public long addPicked(PickedRows picked) throws IOException {
        long bytes = 0;
        for (int from = 0; from < picked.count(); ) {
            int count = Math.min(picked.count() - from, OrcLibrary.BATCH_ROWS - batch.size);
            bytes += copy(picked, from, count);
            batch.size += count;
            from += count;
            if (batch.size == OrcLibrary.BATCH_ROWS) {
                batchFull();
            }
        }
        return bytes;
    }

    private long copy(PickedRows picked, int from, int count) {
        int at = batch.size;
        ColumnCopier copier = new ColumnCopier(picked);
        if (ranges.isEmpty()) {
            for (int i = 0; i < appenders.length; i++) {
                ranges.add(new ColumnRange(layout.columns().get(i), i, stats));
            }
        }
        long bytes = (long) count * layout.fixedSize();
        for (int i = 0; i < appenders.length; i++) {
            copier.copy(i, from, count, batch.cols[i], at);
            ranges.get(i).add(batch.cols[i], at, count);
            if (batch.cols[i] instanceof BytesColumnVector text) {
                bytes += lengths(text, at, count);
            }
        }
        long[] lsns = ((LongColumnVector) batch.cols[lsnColumn]).vector;
        for (int i = 0; i < count; i++) {
            ColumnBatches file = picked.files.get(picked.sources[from + i]);
            int position = picked.positions[from + i];
            long lsn = file.lsn(position);
            lsns[at + i] = lsn;
            minLsn = Math.min(minLsn, lsn);
            maxLsn = Math.max(maxLsn, lsn);
            if (rowIdColumn >= 0) {
                ((LongColumnVector) batch.cols[rowIdColumn]).vector[at + i] = file.rowId(position);
            }
        }
        stats.addRows(count);
        rowCount += count;
        rowBytes += bytes;
        return bytes;
    }

    private static long lengths(BytesColumnVector text, int from, int count) {
        long bytes = 0;
        for (int i = from; i < from + count; i++) {
            bytes += text.noNulls || !text.isNull[i] ? text.length[i] : 0;
        }
        return bytes;
    }

    public long rowCount() {
        return rowCount;
    }

    /** Completes the file, durable and visible when the call returns. */
    public ColumnFileSummary finish() throws IOException {
        if (batch.size > 0) {
            sketches.add(batch.cols, batch.size);
            sample.add(batch);
        }
        try (Writer orc = writer == null ? createWriter(true) : writer) {
            writeSample(orc);
        }
        output.commit();
        return new ColumnFileSummary(
                output.position(),
                rowCount,
                new Lsn(minLsn),
                new Lsn(maxLsn),
                stats.stats(),
                sketches.sketches(),
                new WrittenFileMetadata(lastBytes.bytes(), output.checksums(), recorder.finish()));
    }

    @Override
    public void close() throws IOException {
        output.close();
    }

    private void batchFull() throws IOException {
        sketches.add(batch.cols, batch.size);
        Writer orc = writer;
        if (orc != null) {
            orc.addRowBatch(requireNonNull(scaled).with(batch));
            batch.reset();
            return;
        }
        sample.add(batch);
        if (sample.size() * OrcLibrary.BATCH_ROWS >= DictionarySample.ROWS) {
            orc = createWriter(false);
            writer = orc;
            writeSample(orc);
            batch.reset();
        } else {
            batch = newBatch();
        }
    }

    private void writeSample(Writer orc) throws IOException {
        for (VectorizedRowBatch full : sample) {
            orc.addRowBatch(requireNonNull(scaled).with(full));
        }
        sample.clear();
    }

    /**
     * @param isWhole whether the sample has all rows of the file
     */
    private Writer createWriter(boolean isWhole) throws IOException {
        Configuration configuration = OrcLibrary.configuration();
        if (isWhole) {
            // The hash tables take megabytes for each column, even of few values
            configuration = new Configuration(configuration);
            OrcConf.DICTIONARY_IMPL.setString(configuration, "rbtree");
        }
        if (!dictionaryColumns.isEmpty()) {
            // Else the library abandons a dictionary that has many entries for its rows
            configuration = new Configuration(configuration);
            OrcConf.DICTIONARY_KEY_SIZE_THRESHOLD.setDouble(configuration, 1.0);
        }
        ScaledVectors chosen = new ScaledVectors(layout.columns(), sample);
        scaled = chosen;
        // The library requests a file system even if it gets the stream
        ChecksummedFile unread = new ChecksummedFile(store, path, 0, Optional.empty());
        OrcFile.WriterOptions orcOptions =
                OrcFile.writerOptions(configuration)
                        .fileSystem(new ColumnFileSystem(unread, configuration))
                        .setSchema(chosen.addTo(fileSchema))
                        .compress(options.compression().kind())
                        .stripeSize(options.stripeBytes())
                        .rowIndexStride(options.rowGroupRows(rowBytes / Math.max(1, rowCount)))
                        .bufferSize(chunkBytes(isWhole))
                        .enforceBufferSize()
                        .blockPadding(false)
                        .memory(new OrcLibrary.FixedMemory())
                        .useUTCTimestamp(true)
                        .setProlepticGregorian(true)
                        .directEncodingColumns(directColumns());
        orcOptions.physicalWriter(recorder.writer(orcOptions));
        return OrcFile.createWriter(ColumnFileSystem.path(path), orcOptions);
    }

    // Each stream has buffers of the chunk size, which would be most of the memory for a file of
    // few rows.
    private int chunkBytes(boolean isWhole) {
        long needed = isWhole ? 2 * Long.highestOneBit(rowBytes) : Long.MAX_VALUE;
        return (int) Math.clamp(needed, MIN_CHUNK_BYTES, options.chunkBytes());
    }

    /** The names of the text columns whose values do not repeat, in the form of ORC's option. */
    private String directColumns() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < appenders.length; i++) {
            if (batch.cols[i] instanceof BytesColumnVector
                    && !dictionaryColumns.get(i)
                    && !DictionarySample.repeats(sample, i)) {
                names.add("`" + fileSchema.getFieldNames().get(i).replace("`", "``") + "`");
            }
        }
        return String.join(",", names);
    }

    private VectorizedRowBatch newBatch() {
        VectorizedRowBatch created =
                fileSchema.createRowBatch(
                        TypeDescription.RowBatchVersion.USE_DECIMAL64, OrcLibrary.BATCH_ROWS);
        for (ColumnVector column : created.cols) {
            useProlepticUtc(column);
        }
        return created;
    }

    /**
     * Sets a vector to the proleptic calendar and UTC, as in Stele's days and times; the library
     * would convert vectors with other settings.
     */
    private static void useProlepticUtc(ColumnVector vector) {
        switch (vector) {
            case DateColumnVector dates -> dates.changeCalendar(true, false);
            case TimestampColumnVector timestamps -> {
                timestamps.changeCalendar(true, false);
                timestamps.setIsUTC(true);
            }
            case ListColumnVector list -> useProlepticUtc(list.child);
            case MapColumnVector map -> {
                useProlepticUtc(map.keys);
                useProlepticUtc(map.values);
            }
            case StructColumnVector struct -> {
                for (ColumnVector field : struct.fields) {
                    useProlepticUtc(field);
                }
            }
            default -> {}
        }
    }
}
