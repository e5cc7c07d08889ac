package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.schema.FileCompression;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A table's choice of compression reaches its files, and files of every choice are read. */
final class TestFileCompression {
    private static final int ROWS = 3_000;

    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "COLUMN"})
    void newFilesAreCompressedAsTheTableSays(Orientation orientation) throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        Map<FileCompression, Long> sizes = new TreeMap<>();
        for (FileCompression compression : FileCompression.values()) {
            TestTable table = create(node, orientation, compression);
            sizes.put(compression, write(node, table));
        }
        assertThat(sizes.get(FileCompression.NONE))
                .isGreaterThan(2 * sizes.get(FileCompression.LZ4));
        assertThat(sizes.get(FileCompression.LZ4)).isGreaterThan(sizes.get(FileCompression.ZSTD));
    }

    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "COLUMN"})
    void theChoiceCanBeChanged(Orientation orientation) throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        TestTable table = create(node, orientation, FileCompression.NONE);
        long before = write(node, table);
        Map<Long, String> rows = table.planned(node, node.openSnapshot());
        node.engine()
                .catalog()
                .setOptions(
                        table.id(),
                        java.util.List.of(TableOption.COMPRESSION),
                        TableOptions.NONE.withCompression(Optional.of(FileCompression.ZSTD)));
        assertThat(size(node, table)).isEqualTo(before);
        long again = write(node, table) - before;
        assertThat(again).isLessThan(before / 2);
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(rows);
        node.restart();
        node.await(node.engine().compact(table.id()));
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(rows);
    }

    private static TestTable create(
            SimulatedNode node, Orientation orientation, FileCompression compression) {
        return TestTable.create(
                node.engine(),
                "t_" + compression.text(),
                orientation,
                true,
                1,
                TableOptions.NONE.withCompression(Optional.of(compression)));
    }

    /** Writes the same rows each time and returns the bytes of all files of rows. */
    private static long write(SimulatedNode node, TestTable table) throws IOException {
        Random random = new Random(7);
        WriteBatchBuilder batch = table.batch();
        for (long id = 0; id < ROWS; id++) {
            StringBuilder text = new StringBuilder();
            for (int word = 0; word < 12; word++) {
                text.append("word").append(random.nextInt(40)).append(' ');
            }
            batch.upsert(table.key(id), table.row(id, text.toString(), id * 7));
        }
        node.await(table.write(node.engine(), table.shard(0), batch));
        node.await(node.engine().flush(table.id()));
        return size(node, table);
    }

    private static long size(SimulatedNode node, TestTable table) throws IOException {
        return node.store().contents().list("data/" + table.id() + "/").stream()
                .filter(file -> file.path().endsWith(".row") || file.path().endsWith(".orc"))
                .mapToLong(ObjectEntry::sizeBytes)
                .sum();
    }
}
