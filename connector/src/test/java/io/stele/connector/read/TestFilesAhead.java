package io.stele.connector.read;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleAggregateSplit;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.InMemoryObjectStore;
import io.trino.connector.DefaultNodeManager;
import io.trino.node.TestingInternalNodeManager;
import io.trino.spi.connector.ConnectorSplit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestFilesAhead {
    private static FilesAhead filesAhead(boolean worksItself) {
        InMemoryObjectStore store = new InMemoryObjectStore();
        return new FilesAhead(
                new FilePageSources(
                        new FileTails(_ -> store, _ -> Optional.empty(), 0),
                        new HotColumns(0),
                        new FileBitmapIndexes(store),
                        new TrinoTypes(TESTING_TYPE_MANAGER),
                        Runnable::run),
                new ShardHomes(
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
        assertThat(filesAhead(true).readHereFirst(splits(2)))
                .extracting(SteleFileSplit::path)
                .containsExactly("data/7/0/0.orc", "data/7/0/1.orc");
        assertThat(filesAhead(true).readHereFirst(splits(FilesAhead.MAX_SPLITS + 5)))
                .hasSize(FilesAhead.MAX_SPLITS)
                .last()
                .extracting(SteleFileSplit::path)
                .isEqualTo("data/7/0/15.orc");
    }

    @Test
    void aCoordinatorThatDoesNotWorkOpensNothing() {
        assertThat(filesAhead(false).readHereFirst(splits(2))).isEmpty();
    }
}
