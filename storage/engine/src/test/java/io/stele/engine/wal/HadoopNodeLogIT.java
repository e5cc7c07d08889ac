package io.stele.engine.wal;

import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.testing.MiniHdfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** The same log on a real HDFS. */
final class HadoopNodeLogIT extends TestNodeLog {
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    private final List<LogFiles> opened = new ArrayList<>();

    @Override
    LogFiles files() throws IOException {
        HadoopLogFiles files =
                HadoopLogFiles.open(
                        HadoopLocation.parse(
                                MiniHdfs.shared()
                                        .location("node-log/" + FOLDERS.incrementAndGet())),
                        new HadoopConfig(),
                        HadoopLogFilesIT::pause);
        opened.add(files);
        files.takeOver(1, LogId.NONE);
        return files;
    }

    @AfterEach
    void close() throws IOException {
        for (LogFiles files : opened) {
            files.close();
        }
    }
}
