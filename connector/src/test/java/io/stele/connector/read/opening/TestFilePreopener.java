package io.stele.connector.read.opening;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleAggregateSplit;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.read.affinity.PreferredWorkers;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.InMemoryObjectStore;
import io.trino.connector.DefaultNodeManager;
import io.trino.node.TestingInternalNodeManager;
import io.trino.spi.connector.ConnectorSplit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestFilePreopener {
    private static FilePreopener preopener(boolean worksItself) {
        InMemoryObjectStore store = new InMemoryObjectStore();
        return new FilePreopener(
                new FilePageSources(
                        new FileMetadataCache(_ -> store, _ -> Optional.empty(), 0),
                        new DecodedColumnCache(0),
                        new FileBitmapIndexes(store),
                        new TrinoTypes(TESTING_TYPE_MANAGER),
                        Runnable::run),
                new PreferredWorkers(
                        new DefaultNodeManager(
                                TestingInternalNodeManager.CURRENT_NODE,
                                TestingInternalNodeManager.createDefault(),
                                worksItself)));
    }

    private static List<ConnectorSplit> splits(int files) {
        List<ConnectorSplit> splits = new ArrayList<>();
        splits.add(new SteleAggregateSplit());
        for (int file = 0; file < files; file++) {
            splits.add(new FileSplitFixture("data/7/0/" + file + ".orc", 1000).build());
        }
        return splits;
    }

    @Test
    void theFirstFilesAreOpenedWhereTheyArePlanned() {
        assertThat(preopener(true).readHereFirst(splits(2)))
                .extracting(SteleFileSplit::path)
                .containsExactly("data/7/0/0.orc", "data/7/0/1.orc");
        assertThat(preopener(true).readHereFirst(splits(FilePreopener.MAX_SPLITS + 5)))
                .hasSize(FilePreopener.MAX_SPLITS)
                .last()
                .extracting(SteleFileSplit::path)
                .isEqualTo("data/7/0/15.orc");
    }

    @Test
    void aCoordinatorThatDoesNotWorkOpensNothing() {
        assertThat(preopener(false).readHereFirst(splits(2))).isEmpty();
    }
}
