package io.stele.paimon.store;

import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.fs.FileIO;

/** The lake of one Trino catalog: its metastore and its files. Thread-safe. */
public interface Lake {
    /** Paimon's catalog, under the identity of the Trino catalog. */
    Catalog catalog();

    /** Paimon's view of the files. */
    FileIO fileIO();

    /** The files by their locations, for readers of our own. */
    LakeFiles files();
}
