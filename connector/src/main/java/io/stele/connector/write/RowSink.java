package io.stele.connector.write;

import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.Page;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/** A sink of the rows that one writer adds to a table. Confined to one thread. */
interface RowSink {
    /** Adds rows; channel n is column n of the table. */
    void append(Page page) throws IOException;

    /** The bytes of memory held now. */
    long retainedBytes();

    /** Bytes that have left memory. */
    long writtenBytes();

    /** Passes everything to the transaction, and returns the files that its commit must name. */
    List<WrittenFile> finish() throws IOException;

    /** The parts of the transaction under which it staged rows; valid after {@link #finish}. */
    List<UUID> parts();

    /** Aborts the writer; files already written belong to no transaction and are collected. */
    void abort() throws IOException;
}
