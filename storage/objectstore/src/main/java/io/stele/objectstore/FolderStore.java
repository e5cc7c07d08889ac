package io.stele.objectstore;

import java.io.IOException;
import java.util.Optional;

/**
 * An object store as a tree of folders: for lakes that others write, too. A folder is there as long
 * as an object is below it, or, where the store has folders of its own, from {@link #createFolder}
 * to {@link #deleteFolder}. The root is the folder {@code ""}.
 *
 * <p>Reading never changes anything in the store. Thread-safe; calls block.
 */
public interface FolderStore extends ObjectStore {
    /** An object's size and time; empty if there is none, or a folder. */
    Optional<ObjectEntry> find(String path) throws IOException;

    /** Whether there is a folder. */
    boolean hasFolder(String folder) throws IOException;

    /**
     * The content of a folder, without that of the folders in it, whose objects are not listed to
     * find them; empty if there is no such folder.
     */
    FolderLevel listLevel(String folder) throws IOException;

    /**
     * Creates a folder, with those above it; nothing happens if it exists.
     *
     * @throws IOException also if an object has its name, where the store tells them apart
     */
    void createFolder(String folder) throws IOException;

    /**
     * Deletes a folder.
     *
     * @param recursive with all that is in it; by no means in one step
     * @return whether there was one
     * @throws java.nio.file.DirectoryNotEmptyException if it is not empty and must be
     */
    boolean deleteFolder(String folder, boolean recursive) throws IOException;

    /**
     * Gives an object, or a folder with all in it, another name. Of one object, the new name
     * appears at once and replaces nothing. Where the store has no folders of its own, a folder is
     * moved object by object.
     *
     * @return false and no change if there is no such thing, or the new name is in use
     */
    boolean rename(String from, String to) throws IOException;
}
