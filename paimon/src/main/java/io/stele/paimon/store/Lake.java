package io.stele.paimon.store;

import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.fs.FileIO;

/**
 * The access of one Trino catalog to its lake: Paimon's catalog, Paimon's file system, and files
 * for this plugin's readers. Thread-safe.
 */
public interface Lake {
    /** Paimon's catalog, under the identity of the Trino catalog. */
    Catalog catalog();

    /** Paimon's view of the files. */
    FileIO fileIO();

    /** The files by their locations, for this plugin's readers. */
    LakeFiles files();
}
