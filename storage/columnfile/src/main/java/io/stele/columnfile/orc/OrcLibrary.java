package io.stele.columnfile.orc;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.orc.MemoryManager;
import org.apache.orc.OrcConf;

/**
 * The configuration, batch size and memory manager that all uses of the ORC library share. No
 * configuration file of a Hadoop installation is read.
 */
public final class OrcLibrary {
    /** Rows of one vectorized batch: ten columns of 100 bytes still fit in a core's own cache. */
    public static final int BATCH_ROWS = 1024;

    private OrcLibrary() {}

    public static Configuration configuration() {
        Configuration configuration = new Configuration(false);
        // A hash table instead of a red-black tree: dictionaries of Stele's files need no order.
        configuration.set(OrcConf.DICTIONARY_IMPL.getAttribute(), "hash");
        return configuration;
    }

    /**
     * A memory manager that never limits a writer's stripe size, so the code that opens writers
     * must limit their number.
     */
    public static class FixedMemory implements MemoryManager {
        @Override
        public void addWriter(Path path, long requestedAllocation, Callback callback) {}

        @Override
        public void removeWriter(Path path) {}

        @Override
        @Deprecated
        public void addedRow(int rows) {}

        @Override
        public long checkMemory(long previousAllocation, Callback writer) throws IOException {
            return previousAllocation;
        }
    }
}
