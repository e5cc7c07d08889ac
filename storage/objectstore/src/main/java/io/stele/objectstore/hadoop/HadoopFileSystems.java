package io.stele.objectstore.hadoop;

import java.io.File;
import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A factory of Hadoop file systems, each with connections of its own that end when it is closed.
 */
public final class HadoopFileSystems {
    private HadoopFileSystems() {}

    /**
     * The file system of a location. Hadoop determines the identity: the user of this process or
     * {@code HADOOP_USER_NAME}, or the Kerberos ticket in its cache.
     *
     * @throws IOException if a file of the configuration cannot be read, or there is no such file
     *     system
     */
    public static FileSystem open(HadoopLocation location, HadoopConfig config) throws IOException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Hadoop finds file systems and much else by this thread's class loader; inside Trino that
        // is not always the plugin's class loader
        ClassLoader ours = HadoopFileSystems.class.getClassLoader();
        thread.setContextClassLoader(ours);
        try {
            Configuration configuration = new Configuration();
            configuration.setClassLoader(ours);
            for (File file : config.getResources()) {
                // Hadoop ignores missing files without an error
                if (!file.isFile() || !file.canRead()) {
                    throw new IOException(
                            String.format(
                                    Locale.ROOT,
                                    "hadoop.config.resources: expected a file that can be read, found %s",
                                    file));
                }
                configuration.addResource(new Path(file.toURI()));
            }
            // A process that is stopping still finishes the work that it accepted
            configuration.setBoolean("fs.automatic.close", false);
            return FileSystem.newInstance(location.uri(), configuration);
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
