package io.stele.engine.garbage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.orc.ColumnFileReaders;
import io.stele.columnfile.orc.ColumnPointReader;
import io.stele.columnfile.orc.DecodedColumns;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.DeletionVectorFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.engine.row.RowCache;
import io.stele.engine.snapshot.Retention;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The search for unused data files beside an engine of epoch 5. */
final class TestOrphanSearch {
    private static final Duration GRACE = Duration.ofHours(1);
    private static final String FOLDER = "data/1/0/";

    private final ObjectStore store = new InMemoryObjectStore();
    private long nowMillis = Duration.ofDays(1).toMillis();

    @Test
    void findsWhatEarlierEnginesLeft() throws IOException {
        put("3-1.orc", "3-1.idx", "3-2.row", "4-1_w.orc", "other");
        put("4-2.orc", "4-2.idx", "4-2.dv-4-1", "4-2.dv-4-2");
        FileEntry used =
                file(
                        "4-2",
                        Optional.of(
                                new DeletionVectorFile(FOLDER + "4-2.dv-4-2", 9, 1, new Lsn(1))));
        run(search(store, used));
        assertThat(names()).containsExactly("4-2.dv-4-2", "4-2.idx", "4-2.orc");
    }

    /** Somebody may be writing it, by whatever name; the store's clock is not ours. */
    @Test
    void leavesYoungObjectsOfOthers() throws IOException {
        put("other");
        nowMillis = Duration.ofMinutes(30).toMillis(); // the objects are of 0
        run(search(store));
        assertThat(names()).containsExactly("other");
    }

    @Test
    void aTableThatCannotBeListedHoldsNoOther() throws IOException {
        store.put("data/2/0/3-1.orc", new byte[1]);
        put("3-1.orc");
        Broken broken = new Broken();
        broken.prefix = FOLDER.substring(0, 7);
        OrphanSearch search = search(broken);
        assertThatThrownBy(search::run).hasMessage("no list");
        collector.collect(nowMillis + GRACE.toMillis());
        assertThat(names()).containsExactly("3-1.orc");
        broken.works = true;
        run(search);
        assertThat(names()).isEmpty();
        assertThat(broken.lists)
                .as("the other table once")
                .containsExactly("data/1/", "data/2/", "data/1/");
    }

    /** All of these may be made after the start has noted which files are in use. */
    @Test
    void leavesWhatThisEngineAndLaterOnesWrite() throws IOException {
        put("4-2.orc", "4-2.idx");
        OrphanSearch search = search(store, file("4-2", Optional.empty()));
        put("5-1.orc", "5-1.idx", "5-1_w.orc", "5-1-7_w.orc", "6-1.row");
        put("4-2.dv-5-1", "4-2.dv-6-1");
        List<String> before = names();
        run(search);
        assertThat(names()).isEqualTo(before);
    }

    @Test
    void leavesFoldersThatAreNotKnown() throws IOException {
        store.put("data/2/0/3-1.orc", new byte[1]);
        put("3-1.orc");
        FileCollector collector = collector(store);
        OrphanSearch search =
                new OrphanSearch(
                        store,
                        "data",
                        folder -> folder.equals("data/2/0/"),
                        Stream::empty,
                        collector,
                        () -> nowMillis,
                        5);
        assertThat(search.run()).isTrue();
        collector.collect(nowMillis + GRACE.toMillis());
        assertThat(store.list("data/"))
                .extracting(ObjectEntry::path)
                .containsExactly("data/2/0/3-1.orc");
    }

    @Test
    void aListingThatFailedIsRepeatedWhole() throws IOException {
        put("3-1.orc", "3-2.orc", "4-1.orc");
        Broken broken = new Broken();
        OrphanSearch search = search(broken, file("4-1", Optional.empty()));
        assertThatThrownBy(search::run).hasMessage("no list");
        assertThat(names()).hasSize(3);
        broken.works = true;
        run(search);
        assertThat(names()).containsExactly("4-1.orc");
    }

    @Test
    void endsWithItsEngine() throws IOException {
        put("3-1.orc");
        OrphanSearch search = search(store);
        search.close();
        assertThat(search.run()).isFalse();
        collector.collect(nowMillis + GRACE.toMillis());
        assertThat(names()).containsExactly("3-1.orc");
    }

    private FileCollector collector = collector(store);

    private OrphanSearch search(ObjectStore of, FileEntry... used) {
        collector = collector(of);
        return new OrphanSearch(
                of, "data", _ -> false, () -> Stream.of(used), collector, () -> nowMillis, 5);
    }

    private void run(OrphanSearch search) throws IOException {
        assertThat(search.run()).isTrue();
        List<String> before = names();
        collector.collect(nowMillis + GRACE.toMillis() - 1);
        assertThat(names()).as("during the grace").isEqualTo(before);
        collector.collect(nowMillis + GRACE.toMillis());
    }

    private static FileCollector collector(ObjectStore store) {
        TableFiles files =
                new TableFiles(
                        store,
                        new BlockCache("row-blocks", 1, () -> 0),
                        new BlockCache("key-indexes", 1, () -> 0),
                        new ColumnFileReaders("footers", 0, () -> 0, _ -> {}),
                        new ColumnPointReader("row-groups", 1, () -> 0),
                        new DecodedColumns("decoded-columns", 0, () -> 0),
                        new RowCache("rows", 0, () -> 0),
                        new FileIds(5));
        return new FileCollector(
                files,
                new SnapshotRegistry(() -> 1, () -> 1, new Retention(1), "1-").readers(),
                GRACE);
    }

    private void put(String... names) throws IOException {
        for (String name : names) {
            store.put(FOLDER + name, new byte[1]);
        }
    }

    private List<String> names() throws IOException {
        return store.list("data/").stream()
                .map(entry -> entry.path().substring(entry.path().lastIndexOf('/') + 1))
                .toList();
    }

    private static FileEntry file(String id, Optional<DeletionVectorFile> deletes) {
        String path = FOLDER + id + ".orc";
        return new FileEntry(
                id,
                new TableId(1),
                FileKind.COLUMN,
                0,
                path,
                100,
                10,
                new Lsn(1),
                new Lsn(2),
                Optional.empty(),
                OptionalLong.empty(),
                1,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.of(new KeyIndexFile(FOLDER + id + ".idx", 50, OptionalInt.empty())),
                deletes);
    }

    /** A store that fails in the middle of a list. */
    private final class Broken extends ForwardingObjectStore {
        private final List<String> lists = new ArrayList<>();
        private String prefix = "data/";
        private boolean works;

        Broken() {
            super(store);
        }

        @Override
        public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
            lists.add(prefix);
            for (ObjectEntry entry : store.list(prefix)) {
                action.accept(entry);
                if (!works && prefix.startsWith(this.prefix)) {
                    throw new IOException("no list");
                }
            }
        }
    }
}
