package io.stele.objectstore;

import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.objectstore.hadoop.HadoopObjectStore;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.TestingThreads;
import io.stele.testing.MiniHdfs;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store of all files of a real HDFS. */
final class HadoopLakeStoreIT extends FolderStoreContract {
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    private HadoopObjectStore store;
    private String folder;

    @BeforeEach
    void open() throws IOException {
        folder = "lakes/a lake " + FOLDERS.incrementAndGet();
        store =
                HadoopObjectStore.ofLake(
                        HadoopLocation.parse(MiniHdfs.shared().location("lakes")),
                        new HadoopConfig(),
                        new RetrievalConfig(),
                        new Random(1),
                        _ -> {},
                        TestingThreads.start());
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    @Override
    FolderStore store() {
        return store;
    }

    @Override
    String folder() {
        return folder;
    }
}
