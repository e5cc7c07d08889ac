package io.stele.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.KeyIndexSummary;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.columnfile.metadata.ChecksummingWriter;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.metadata.FileMetadataBytes;
import io.stele.columnfile.orc.OrcSchemas;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.OrcFile;
import org.apache.orc.StripeInformation;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.orc.impl.PhysicalFsWriter;
import org.apache.orc.impl.writer.WriterEncryptionVariant;

/**
 * Writes column files as Trino workers do: the table's columns only, sorted by key, with a key
 * index where there is a key.
 */
final class WorkerFiles {
    private WorkerFiles() {}

    /** A row of a {@link TestTable}. */
    record Row(long id, String name, long amount) {}

    /** Where the checksums of a file are. */
    enum Checksums {
        /** As versions before checksums wrote them. */
        NONE,

        /** As versions before metadata in key indexes wrote them, and now without a key. */
        BESIDE,

        /** With the file metadata. */
        IN_KEY_INDEX,

        /** Without them, as where these are too long. */
        ALONE_IN_KEY_INDEX;

        private boolean isInKeyIndex() {
            return this == IN_KEY_INDEX || this == ALONE_IN_KEY_INDEX;
        }
    }

    static WrittenFile write(
            ObjectStore store, TestTable table, ShardId shard, String fileId, List<Row> rows)
            throws IOException {
        return write(store, table.schema(), table::key, shard, fileId, rows);
    }

    static WrittenFile write(
            ObjectStore store,
            TestTable table,
            ShardId shard,
            String fileId,
            List<Row> rows,
            Checksums checksums)
            throws IOException {
        return write(store, table.schema(), table::key, shard, fileId, rows, checksums);
    }

    /** The same; columns behind the first three are null. */
    static WrittenFile write(
            ObjectStore store,
            TableSchema table,
            LongFunction<byte[]> key,
            ShardId shard,
            String fileId,
            List<Row> rows)
            throws IOException {
        // Some as earlier versions wrote them
        Checksums checksums = Checksums.values()[Math.floorMod(fileId.hashCode(), 4)];
        return write(
                store,
                table,
                key,
                shard,
                fileId,
                rows,
                !table.hasPrimaryKey() && checksums.isInKeyIndex() ? Checksums.BESIDE : checksums);
    }

    private static WrittenFile write(
            ObjectStore store,
            TableSchema table,
            LongFunction<byte[]> key,
            ShardId shard,
            String fileId,
            List<Row> rows,
            Checksums checksums)
            throws IOException {
        boolean keyed = table.hasPrimaryKey();
        List<Row> sorted =
                keyed ? rows.stream().sorted(Comparator.comparingLong(Row::id)).toList() : rows;
        String prefix = "data/" + table.id() + "/" + shard.index() + "/" + fileId;
        FileMetadataBytes notes = new FileMetadataBytes();
        byte[] orc = orc(table, sorted, notes);
        byte[] sums;
        try (ChecksummingWriter writer =
                checksums == Checksums.BESIDE
                        ? ChecksummingWriter.create(store, prefix + ".orc")
                        : ChecksummingWriter.createAlone(store, prefix + ".orc")) {
            writer.write(orc);
            writer.commit();
            sums = writer.checksums();
        }
        Optional<KeyIndexSummary> index = Optional.empty();
        if (keyed) {
            try (KeyIndexWriter keys =
                    KeyIndexWriter.byRank(store, prefix + ".idx", BlockFileOptions.DEFAULT)) {
                for (Row row : sorted) {
                    keys.add(key.apply(row.id()));
                }
                index =
                        Optional.of(
                                keys.finish(
                                        checksums.isInKeyIndex()
                                                ? Optional.of(metadata(notes, sums, checksums))
                                                : Optional.empty()));
            }
        }
        return new WrittenFile(
                table.id(),
                shard,
                fileId,
                prefix + ".orc",
                index.map(summary -> prefix + ".idx"),
                orc.length,
                index.map(KeyIndexSummary::sizeBytes).orElse(0L),
                rows.size(),
                table.schemaVersion(),
                index.map(KeyIndexSummary::minKey),
                index.map(KeyIndexSummary::maxKey),
                Optional.empty(),
                Map.of(),
                OptionalLong.empty(),
                checksums == Checksums.BESIDE
                        ? OptionalInt.of(FileChecksums.BLOCK_BYTES)
                        : OptionalInt.empty(),
                Map.of(),
                index.map(KeyIndexSummary::metadataBytes).orElse(OptionalInt.empty()));
    }

    private static byte[] metadata(FileMetadataBytes notes, byte[] sums, Checksums checksums) {
        boolean isWhole = checksums == Checksums.IN_KEY_INDEX;
        return new FileMetadata(sums, isWhole ? notes : new FileMetadataBytes()).encodeStored();
    }

    /**
     * @param notes get what is beside the values
     */
    private static byte[] orc(TableSchema table, List<Row> rows, FileMetadataBytes notes)
            throws IOException {
        TypeDescription type = TypeDescription.createStruct();
        for (ColumnSchema column : table.columns()) {
            TypeDescription columnType = OrcSchemas.type(column.type());
            columnType.setAttribute(OrcSchemas.ID_ATTRIBUTE, Integer.toString(column.id()));
            columnType.setAttribute(OrcSchemas.TYPE_ATTRIBUTE, column.type().text());
            type.addField(column.name(), columnType);
        }
        Configuration configuration = new Configuration(false);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        OrcFile.WriterOptions options =
                OrcFile.writerOptions(configuration)
                        .fileSystem(new RawLocalFileSystem())
                        .setSchema(type);
        options.physicalWriter(
                new PhysicalFsWriter(
                        new FSDataOutputStream(bytes, null),
                        options,
                        new WriterEncryptionVariant[0]));
        Writer closed;
        try (Writer writer = OrcFile.createWriter(new Path("/worker.orc"), options)) {
            VectorizedRowBatch batch = type.createRowBatch(Math.max(1, rows.size()));
            for (Row row : rows) {
                int at = batch.size++;
                ((LongColumnVector) batch.cols[0]).vector[at] = row.id();
                ((BytesColumnVector) batch.cols[1]).setVal(at, row.name().getBytes(UTF_8));
                ((LongColumnVector) batch.cols[2]).vector[at] = row.amount();
                for (int i = 3; i < batch.cols.length; i++) {
                    batch.cols[i].noNulls = false;
                    batch.cols[i].isNull[at] = true;
                }
            }
            writer.addRowBatch(batch);
            closed = writer;
        }
        byte[] orc = bytes.toByteArray();
        long end = 0;
        for (StripeInformation stripe : closed.getStripes()) {
            add(notes, orc, stripe.getOffset(), stripe.getIndexLength());
            long footer = stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength();
            add(notes, orc, footer, stripe.getFooterLength());
            end = footer + stripe.getFooterLength();
        }
        add(notes, orc, end, orc.length - end);
        return orc;
    }

    private static void add(FileMetadataBytes notes, byte[] orc, long offset, long length) {
        notes.add(offset, Arrays.copyOfRange(orc, (int) offset, (int) (offset + length)));
    }
}
