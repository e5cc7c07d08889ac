package io.stele.columnfile.orc;

import static io.stele.columnfile.orc.ColumnFileFixture.ALL_TYPES;
import static io.stele.columnfile.orc.ColumnFileFixture.lsn;
import static io.stele.columnfile.orc.ColumnFileFixture.randomRows;
import static io.stele.columnfile.orc.ColumnFileFixture.rowId;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.ColumnFileSummary;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.columnfile.orc.write.PickedRows;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows that are copied column by column, beside the same rows written one by one. */
final class TestPickedRows {
    private static final int[] ROWS = {2_500, 1, 3_000, 1_024};

    private final ObjectStore store = new InMemoryObjectStore();

    @ParameterizedTest
    @CsvSource({"1, true", "2, false", "3, true"})
    void filesAreAsIfWrittenRowByRow(long seed, boolean keyed) throws IOException {
        Random random = new Random(seed);
        TableSchema schema = table(keyed);
        List<List<byte[]>> rows = new ArrayList<>();
        List<ColumnBatches> files = new ArrayList<>();
        for (int count : ROWS) {
            rows.add(randomRows(schema, count, seed * 100 + count));
            TestingColumnFile entry =
                    ColumnFileFixture.write(
                            store, schema, rows.getLast(), ColumnFileOptions.DEFAULT);
            files.add(ColumnFileReader.open(store, entry, schema.columns()).batches());
        }
        BinaryRow row = new BinaryRow(RowLayout.of(schema.columns()));
        List<byte[]> expected = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>(); // in their files
        ColumnFileSummary copied;
        ColumnFileSummary written;
        try (ColumnFileWriter copies = writer("copied.orc", schema);
                ColumnFileWriter single = writer("single.orc", schema)) {
            PickedRows picked = new PickedRows(files);
            int[] positions = new int[files.size()];
            for (int left = files.size(); left > 0; ) {
                int file = random.nextInt(files.size());
                ColumnBatches batches = files.get(file);
                if (positions[file] == batches.size()) {
                    copies.addPicked(picked); // the file moves on
                    picked.clear();
                    boolean isEnded = positions[file] == 0 && batches.firstOrdinal() > 0;
                    left -= !isEnded && !batches.advance() ? 1 : 0;
                    positions[file] = 0;
                } else {
                    int position = positions[file]++;
                    int number = batches.firstOrdinal() + position;
                    assertThat(batches.lsn(position)).isEqualTo(lsn(number));
                    if (random.nextInt(4) > 0) {
                        picked.add(file, position);
                        expected.add(rows.get(file).get(number));
                        numbers.add(number);
                        row.wrap(expected.getLast());
                        single.add(row, lsn(number), rowId(number));
                    }
                    if (picked.isFull()) {
                        copies.addPicked(picked);
                        picked.clear();
                    }
                }
            }
            copies.addPicked(picked);
            copied = copies.finish();
            written = single.finish();
        }

        assertThat(copied.columnStats()).isEqualTo(written.columnStats());
        assertThat(copied.rowCount()).isEqualTo(written.rowCount()).isEqualTo(expected.size());
        assertThat(copied.minLsn()).isEqualTo(written.minLsn());
        assertThat(copied.maxLsn()).isEqualTo(written.maxLsn());
        TestingColumnFile entry =
                ColumnFileFixture.entry(
                        "copied.orc",
                        copied.sizeBytes(),
                        copied.rowCount(),
                        copied.minLsn(),
                        copied.maxLsn(),
                        copied.columnStats());
        try (ColumnFileCursor cursor =
                ColumnFileReader.open(store, entry, schema.columns()).cursor()) {
            for (int i = 0; i < expected.size(); i++) {
                assertThat(cursor.advance()).isTrue();
                assertThat(cursor.row().toByteArray()).as("row %s", i).isEqualTo(expected.get(i));
                assertThat(cursor.lsn()).isEqualTo(lsn(numbers.get(i)));
                if (!keyed) {
                    assertThat(cursor.rowId()).isEqualTo(rowId(numbers.get(i)));
                }
            }
            assertThat(cursor.advance()).isFalse();
        }
    }

    private ColumnFileWriter writer(String path, TableSchema schema) throws IOException {
        return ColumnFileWriter.create(store, path, schema, ColumnFileOptions.DEFAULT);
    }

    /** A table of every type that is not nested, the key included. */
    private static TableSchema table(boolean keyed) {
        TableSchema all = ColumnFileFixture.table(ALL_TYPES, keyed);
        assertThat(ColumnFileWriter.copiesColumns(all)).isFalse();
        List<String> types =
                all.columns().stream()
                        .map(ColumnSchema::type)
                        .filter(type -> !type.form().isNested())
                        .map(DataType::text)
                        .toList();
        TableSchema flat = ColumnFileFixture.table(types, keyed);
        assertThat(ColumnFileWriter.copiesColumns(flat)).isTrue();
        return flat;
    }
}
