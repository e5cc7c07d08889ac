package io.stele.objectstore;

import java.io.IOException;
import java.util.Optional;

/**
 * An object store with operations on folders, for data lakes that other programs write, too. A
 * folder exists as long as an object is below it, or, where the store has folders of its own, from
 * {@link #createFolder} to {@link #deleteFolder}. The root is the folder {@code ""}.
 *
 * <p>Reading never changes anything in the store. Thread-safe; calls block.
 */
public interface FolderStore extends ObjectStore {
    /**
     * The size and modification time of an object; empty if there is no such object, or the path is
     * a folder.
     */
    Optional<ObjectEntry> find(String path) throws IOException;

    /** Whether the folder exists. */
    boolean hasFolder(String folder) throws IOException;

    /**
     * The direct content of a folder; empty if there is no such folder. Objects in its subfolders
     * are not listed to find the subfolders.
     */
    FolderLevel listLevel(String folder) throws IOException;

    /**
     * Creates a folder and the folders above it; nothing happens if it exists.
     *
     * @throws IOException also if an object has the folder's name, where the store distinguishes
     *     objects and folders
     */
    void createFolder(String folder) throws IOException;

    /**
     * Deletes a folder.
     *
     * @param recursive whether its content is deleted, too; this is not atomic
     * @return whether the folder existed
     * @throws java.nio.file.DirectoryNotEmptyException if the folder is not empty and {@code
     *     recursive} is false
     */
    boolean deleteFolder(String folder, boolean recursive) throws IOException;

    /**
     * Renames an object, or a folder with all its content. The new name of a single object appears
     * atomically and replaces nothing. Where the store has no folders of its own, a folder is moved
     * object by object, and two calls at once may give one object two names; elsewhere one of them
     * returns false.
     *
     * @return false and no change if {@code from} does not exist, or {@code to} is in use
     */
    boolean rename(String from, String to) throws IOException;
}
