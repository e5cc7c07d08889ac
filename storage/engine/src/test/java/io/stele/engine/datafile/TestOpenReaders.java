package io.stele.engine.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.SstFileWriter;
import io.stele.columnfile.orc.ColumnFileReaders;
import io.stele.columnfile.orc.ColumnPointReader;
import io.stele.columnfile.orc.DecodedColumns;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.row.RowCache;
import io.stele.engine.row.TableVersions;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TestOpenReaders {
    private static final long READER = 400 + 600; // with what each has besides
    private static final int LIMIT = 10;
    private static final TableVersions VERSIONS =
            TableVersions.of(
                    TableSchema.builder("s", "t")
                            .columns(
                                    List.of(
                                            new ColumnSchema(1, "id", DataType.parse("integer"))
                                                    .notNull()))
                            .primaryKey(List.of(1))
                            .orientation(Orientation.ROW)
                            .build());

    private final OpenReaders limit = new OpenReaders(LIMIT * READER);
    private final List<Integer> opened = new ArrayList<>();

    @Test
    void readersThatAreNotUsedAreClosedAndOpenedAgain() throws IOException {
        List<LazyReader<Integer>> files = files(100);
        for (LazyReader<Integer> file : files) {
            file.get();
            files.getFirst().get(); // used all the time
        }
        assertThat(files.getFirst().isOpen()).isTrue();
        assertThat(files.stream().filter(LazyReader::isOpen)).hasSizeBetween(2, LIMIT);
        assertThat(limit.bytes()).isLessThanOrEqualTo(LIMIT * READER);
        assertThat(opened).hasSize(100).doesNotHaveDuplicates();

        assertThat(files.get(1).isOpen()).isFalse();
        assertThat(files.get(1).get()).isEqualTo(1);
        assertThat(opened).hasSize(101);
    }

    @Test
    void belowTheLimitAllStayOpen() throws IOException {
        List<LazyReader<Integer>> files = files(LIMIT);
        for (int round = 0; round < 3; round++) {
            for (LazyReader<Integer> file : files) {
                file.get();
            }
        }
        assertThat(opened).hasSize(LIMIT);
        assertThat(files).allMatch(LazyReader::isOpen);
    }

    /**
     * Else a closed file, which counts as one with little to drop, would wait for its next reader.
     */
    @Test
    void whatCompactionsAskOfAFileIsKnownWhenItIsClosed() throws IOException {
        ObjectStore store = new InMemoryObjectStore();
        FileEntry entry = Descriptors.file(FileKind.ROW, "f", 1, 1, 2, 1_000);
        try (SstFileWriter writer =
                SstFileWriter.create(store, entry.path(), BlockFileOptions.DEFAULT)) {
            writer.add(Descriptors.key(1), 30, new byte[] {3});
            writer.add(Descriptors.key(1), 20, new byte[] {2});
            writer.add(Descriptors.key(1), 10, new byte[] {1});
            writer.addDeleted(Descriptors.key(2), 40);
            writer.finish();
        }
        entry = Descriptors.file(FileKind.ROW, "f", 1, 1, 2, store.size(entry.path()));
        SstFile file = files(store).lazyRow(entry, VERSIONS);
        assertThat(file.staleCount()).isEmpty();
        file.reader();
        assertThat(file.staleCount()).hasValue(3);
        file.lazyReader().close();
        assertThat(file.lazyReader().isOpen()).isFalse();
        assertThat(file.staleCount()).hasValue(3);
    }

    private static TableFiles files(ObjectStore store) {
        return new TableFiles(
                store,
                new BlockCache("row-blocks", 1, () -> 0),
                new BlockCache("key-indexes", 1, () -> 0),
                new ColumnFileReaders("footers", 0, () -> 0, _ -> {}),
                new ColumnPointReader("row-groups", 1, () -> 0),
                new DecodedColumns("decoded-columns", 0, () -> 0),
                new RowCache("rows", 0, () -> 0),
                new FileIds(1));
    }

    private List<LazyReader<Integer>> files(int count) {
        List<LazyReader<Integer>> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            files.add(
                    new LazyReader<>() {
                        @Override
                        Integer open() {
                            opened.add(number);
                            return number;
                        }

                        @Override
                        void opened(Integer kept) {
                            limit.opened(this, 400);
                        }
                    });
        }
        return files;
    }
}
