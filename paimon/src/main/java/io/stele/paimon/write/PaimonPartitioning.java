package io.stele.paimon.write;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonPartitioningHandle;
import io.trino.spi.connector.BucketFunction;
import io.trino.spi.connector.ConnectorBucketNodeMap;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Optional;

/**
 * The connector's partitioning provider, by which Trino sends written rows to the writers of their
 * buckets. Stateless.
 */
public final class PaimonPartitioning implements ConnectorNodePartitioningProvider {
    @Inject
    public PaimonPartitioning() {}

    /** Assigns each writer to one node, which the engine chooses. */
    @Override
    public Optional<ConnectorBucketNodeMap> getBucketNodeMapping(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorPartitioningHandle partitioning) {
        int writers = ((PaimonPartitioningHandle) partitioning).writers();
        // By row id as by columns, so that rows of a bucket that a MERGE inserts and changes have
        // one writer
        return Optional.of(
                ConnectorBucketNodeMap.createBucketNodeMap(writers).withCacheKeyHint(writers));
    }

    @Override
    public BucketFunction getBucketFunction(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorPartitioningHandle partitioning,
            List<Type> types,
            int bucketCount) {
        return new WriterOfBucket((PaimonPartitioningHandle) partitioning, bucketCount);
    }
}
