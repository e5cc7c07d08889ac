package io.stele.engine.wal;

import io.stele.objectstore.InMemoryObjectStore;
import java.io.IOException;

/** The same log in an object store. */
final class TestNodeLogOnObjects extends TestNodeLog {
    @Override
    LogFiles files() throws IOException {
        ObjectLogFiles files =
                new ObjectLogFiles(new InMemoryObjectStore(), "log/", Runnable::run, _ -> {});
        files.takeOver(1, LogId.NONE);
        return files;
    }
}
