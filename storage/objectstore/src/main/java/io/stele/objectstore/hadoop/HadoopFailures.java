package io.stele.objectstore.hadoop;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.ipc.RemoteException;

/**
 * A classifier and translator of failures of Hadoop file system calls to the exceptions of the
 * object store interface.
 */
final class HadoopFailures {
    private HadoopFailures() {}

    /** Whether the failure means that the path does not exist. */
    static boolean isMissing(IOException failure) {
        IOException found = unwrap(failure);
        // Nothing exists below a file
        return found instanceof FileNotFoundException
                || found instanceof ParentNotDirectoryException;
    }

    /** Whether the failure means that the path exists already. */
    static boolean isThere(IOException failure) {
        return unwrap(failure) instanceof org.apache.hadoop.fs.FileAlreadyExistsException;
    }

    /** The failure that the name node reported, if it was one. */
    static IOException unwrap(IOException failure) {
        return failure instanceof RemoteException remote ? remote.unwrapRemoteException() : failure;
    }

    /**
     * Translates the failure of a call that looks up a path.
     *
     * @param action as in "Cannot read"
     */
    static IOException ofLooking(String action, String where, IOException failure) {
        if (isMissing(failure)) {
            NoSuchFileException missing = new NoSuchFileException(where);
            missing.initCause(failure);
            return missing;
        }
        return failure instanceof EOFException ? failure : ofChange(action, where, failure);
    }

    /**
     * Translates the failure of a call that changes something, whose outcome is unknown.
     *
     * @param action as in "Cannot create"
     */
    static IOException ofChange(String action, String where, IOException failure) {
        String message = "Cannot %s %s: %s".formatted(action, where, unwrap(failure).getMessage());
        if (failure instanceof InterruptedIOException) {
            InterruptedIOException interrupted = new InterruptedIOException(message);
            interrupted.initCause(failure);
            return interrupted;
        }
        return new IOException(message, failure);
    }
}
