package io.stele.columnfile.orc;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.ColumnFileSummary;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.StripeInformation;

/** Column files of random rows. */
final class ColumnFileFixture {
    static final List<String> ALL_TYPES =
            List.of(
                    "boolean",
                    "tinyint",
                    "smallint",
                    "integer",
                    "bigint",
                    "real",
                    "double",
                    "decimal(12,2)",
                    "decimal(38,10)",
                    "decimal(38,0)",
                    "varchar",
                    "varchar(20)",
                    "char(7)",
                    "varbinary",
                    "date",
                    "time(0)",
                    "time(9)",
                    "time(12)",
                    "wide_timestamp(7)",
                    "wide_timestamp(9)",
                    "timestamp(12)",
                    "wide_timestamp(9) with time zone",
                    "timestamp(11) with time zone",
                    "timestamp(0)",
                    "timestamp(3)",
                    "timestamp(6)",
                    "timestamp(9)",
                    "timestamp(3) with time zone",
                    "timestamp(6) with time zone",
                    "timestamp(9) with time zone",
                    "uuid",
                    "json",
                    "array(bigint)",
                    "array(array(varchar))",
                    "map(varchar, double)",
                    "row(x integer, y varchar, z row(w timestamp(6)))",
                    "map(bigint, array(row(d date, u uuid)))");

    private ColumnFileFixture() {}

    static TableSchema table(List<String> types, boolean primaryKey) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            columns.add(
                    new ColumnSchema(
                            i + 1,
                            "c" + (i + 1),
                            DataType.parse(types.get(i)),
                            i > 0 || !primaryKey,
                            Optional.empty()));
        }
        return TableSchema.builder("s", "t")
                .columns(columns)
                .primaryKey(primaryKey ? List.of(1) : List.of())
                .build();
    }

    static List<byte[]> randomRows(TableSchema schema, int count, long seed) {
        RandomRows random = new RandomRows(new Random(seed));
        RowLayout layout = RowLayout.of(schema.columns());
        return IntStream.range(0, count)
                .mapToObj(i -> Rows.toBytes(layout, random.row(schema.columns()).toArray()))
                .toList();
    }

    /** A file, and what its writer knows of it. */
    record Written(TestingColumnFile entry, WrittenFileMetadata end) {}

    static TestingColumnFile write(
            ObjectStore store, TableSchema schema, List<byte[]> rows, ColumnFileOptions options)
            throws IOException {
        return written(store, schema, rows, options).entry();
    }

    static Written written(
            ObjectStore store, TableSchema schema, List<byte[]> rows, ColumnFileOptions options)
            throws IOException {
        String path = "data/1/" + rows.size() + options.compression() + ".orc";
        BinaryRow row = new BinaryRow(RowLayout.of(schema.columns()));
        try (ColumnFileWriter writer = ColumnFileWriter.create(store, path, schema, options)) {
            for (int i = 0; i < rows.size(); i++) {
                writer.add(row.wrap(rows.get(i)), lsn(i), rowId(i));
            }
            ColumnFileSummary summary = writer.finish();
            store.put(WrittenFile.checksumsPath(path), summary.end().checksums());
            assertThat(summary.sizeBytes()).isEqualTo(store.size(path));
            assertThat(summary.maxLsn().value()).isEqualTo(lsn(rows.size() - 1));
            TestingColumnFile entry =
                    entry(
                                    path,
                                    summary.sizeBytes(),
                                    summary.rowCount(),
                                    summary.minLsn(),
                                    summary.maxLsn(),
                                    summary.columnStats())
                            .withChecksums(OptionalInt.of(FileChecksums.BLOCK_BYTES));
            return new Written(entry, summary.end());
        }
    }

    /** The stripes of a file, as ORC's own reader finds them. */
    static List<StripeInformation> stripes(ObjectStore store, TestingColumnFile file)
            throws IOException {
        Configuration configuration = OrcLibrary.configuration();
        ChecksummedFile content =
                ChecksummedFile.open(
                        store, file.path(), file.sizeBytes(), file.checksumBlockBytes());
        try (Reader reader =
                OrcFile.createReader(
                        ColumnFileSystem.path(file.path()),
                        OrcFile.readerOptions(configuration)
                                .filesystem(new ColumnFileSystem(content, configuration))
                                .maxLength(file.sizeBytes()))) {
            return reader.getStripes();
        }
    }

    static long lsn(int row) {
        return 1_000_000L + row * 7L;
    }

    static long rowId(int row) {
        return 10L * row;
    }

    static TestingColumnFile entry(
            String path,
            long sizeBytes,
            long rowCount,
            Lsn minLsn,
            Lsn maxLsn,
            Map<Integer, ColumnStats> stats) {
        return new TestingColumnFile(
                path,
                sizeBytes,
                rowCount,
                minLsn,
                maxLsn,
                Optional.empty(),
                OptionalLong.empty(),
                stats,
                OptionalInt.empty(),
                Optional.empty());
    }
}
