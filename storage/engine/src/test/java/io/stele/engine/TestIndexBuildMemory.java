package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.objectstore.FarObjectStore;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the build of an index over many small files has in memory of them. */
final class TestIndexBuildMemory {
    private static final int FILES = 30;

    private final List<WeakReference<Runnable>> fetches = new ArrayList<>();
    private boolean isCounting;
    private int mostFetches; // whose bytes somebody could still have

    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "COLUMN"})
    void ofFilesThatAreReadNothingStays(Orientation orientation) throws IOException {
        SimulatedNode node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT.withTargetFileBytes(1),
                        1,
                        store -> new FarObjectStore(store, this::fetch, System::nanoTime));
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "t",
                        orientation,
                        true,
                        1,
                        List.of(),
                        orientation == Orientation.COLUMN ? List.of(1) : List.of(),
                        TableState.PUBLIC);
        for (int round = 0; round < 2; round++) {
            write(node, table);
            node.await(node.engine().flush(table.id()));
        }
        node.await(node.engine().compact(table.id())); // a file a row, or a partition

        isCounting = true;
        node.engine()
                .catalog()
                .setOptions(
                        table.id(),
                        List.of(TableOption.INDEXES),
                        TableOptions.NONE.withIndexes(
                                List.of(
                                        new IndexSchema(
                                                1, "by_amount", List.of(3), false, false))));
        node.tick(1_000);
        isCounting = false;
        int index =
                node.engine()
                        .catalog()
                        .current()
                        .table(table.id())
                        .options()
                        .indexes()
                        .getFirst()
                        .id();
        assertThat(fetches).hasSizeGreaterThanOrEqualTo(FILES); // each file was read ahead of
        assertThat(mostFetches).isBetween(1, FILES / 2);
        assertThat(table.lookup(node.engine(), node.openSnapshot(), index, List.of(7L)))
                .containsOnlyKeys(7L);
    }

    // More than a block each, also compressed
    private static void write(SimulatedNode node, TestTable table) {
        SplittableRandom random = new SplittableRandom(1);
        for (long id = 0; id < FILES; id++) {
            byte[] name = new byte[50_000];
            random.nextBytes(name);
            node.await(table.upsert(node.engine(), id, HexFormat.of().formatHex(name), id));
        }
    }

    private void fetch(Runnable fetch) {
        if (isCounting) {
            fetches.add(new WeakReference<>(fetch));
        }
        if (isCounting && fetches.size() % 10 == 0) {
            System.gc();
            int present = (int) fetches.stream().filter(one -> one.get() != null).count();
            mostFetches = Math.max(mostFetches, present);
        }
        fetch.run();
    }
}
