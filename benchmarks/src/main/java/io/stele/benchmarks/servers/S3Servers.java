package io.stele.benchmarks.servers;

import io.airlift.configuration.ConfigurationFactory;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.s3.S3Config;
import io.stele.objectstore.s3.S3Location;
import io.stele.objectstore.s3.S3ObjectStore;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The start of an S3 server for a benchmark as a child process, and the factory of stores on it.
 */
public final class S3Servers {
    private static final Logger logger = Logger.getLogger(S3Servers.class.getName());

    private S3Servers() {}

    /**
     * Starts versitygw over a folder.
     *
     * @throws VersityGateway.MissingException if there is none; the message names what to install
     */
    public static VersityGateway start(Path folder) throws IOException {
        return VersityGateway.start(folder.resolve("objects"));
    }

    /**
     * A store on a server at a loopback port, by the configuration of {@link VersityGateway}.
     *
     * @param prefix of its objects' keys; may be empty
     */
    public static S3ObjectStore store(int port, String prefix, RetrievalConfig retrieval)
            throws IOException {
        return S3ObjectStore.open(
                new S3Location(VersityGateway.BUCKET, prefix),
                new ConfigurationFactory(VersityGateway.properties(port)).build(S3Config.class),
                retrieval,
                new SecureRandom(),
                millis -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis)),
                retrievalThreads());
    }

    /** Threads of a store's reads. */
    public static RetrievalThreads retrievalThreads() {
        return new RetrievalThreads(
                Thread.ofPlatform().daemon().name("retrieval-", 0).factory(),
                Thread.ofVirtual().factory(),
                System::nanoTime,
                InstantSource.system(),
                failure -> logger.log(Level.SEVERE, "A task of retrieval failed", failure));
    }
}
