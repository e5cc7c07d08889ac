package io.stele.connector.write;

import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.Page;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/** A sink of the rows that one writer adds to a table. Confined to one thread. */
interface RowSink {
    /** Takes rows; channel n is column n of the table. */
    void append(Page page) throws IOException;

    /** Memory held now. */
    long retainedBytes();

    /** Bytes that have left memory. */
    long writtenBytes();

    /** Hands everything to the transaction, and returns the files that its commit must name. */
    List<WrittenFile> finish() throws IOException;

    /** The parts of the transaction that it staged rows as; after {@link #finish}. */
    List<UUID> parts();

    /** Gives everything up; files already written belong to no transaction and are collected. */
    void abort() throws IOException;
}
