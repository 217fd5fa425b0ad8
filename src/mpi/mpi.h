/* Peers that MPI has started: `cairn-mpi` under mpirun or srun. All calls of MPI are here. Every
 * other program has no peers: mpi_open says so, and nothing else is called. */
#ifndef CAIRN_MPI_MPI_H
#define CAIRN_MPI_MPI_H

#include "base/peers.h"

/* NULL: this process was not started as one of several. */
struct peers *mpi_open(int *argc, char ***argv);
/* The run has ended here, with this status. Returns what the process is to end with: that of the
 * first peer is the run's. Ends all of them at once when one of them has failed. */
int mpi_close(struct peers *peers, int status);

#endif
