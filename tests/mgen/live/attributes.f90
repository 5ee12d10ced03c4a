! Attributes and error handlers with callback functions in the program: values are integers here, addresses in C.
module fns
contains
 subroutine cp(comm,key,extra,vin,vout,flag,ierr)
  use mpi
  integer comm,key,ierr
  integer(kind=MPI_ADDRESS_KIND) extra,vin,vout
  logical flag
  vout=vin+1; flag=.true.; ierr=0
 end subroutine
 subroutine del(comm,key,val,extra,ierr)
  use mpi
  integer comm,key,ierr
  integer(kind=MPI_ADDRESS_KIND) val,extra
  print *,'deleted',val,extra; ierr=0
 end subroutine
 subroutine eh(comm,code)
  integer comm,code
  print *,'handler',code>0
 end subroutine
end module
program fa
 use mpi
 use fns
 integer key,ierr,d,e,code,l,gr,req,oldkey
 integer(kind=MPI_ADDRESS_KIND) val,extra
 integer oldval
 logical flag
 character(len=MPI_MAX_ERROR_STRING) s
 call MPI_Init(ierr)
 call MPI_Comm_get_attr(MPI_COMM_WORLD,MPI_TAG_UB,val,flag,ierr); print *,flag,val
 call MPI_Attr_get(MPI_COMM_WORLD,MPI_TAG_UB,oldval,flag,ierr); print *,flag,oldval
 extra=77; call MPI_Comm_create_keyval(cp,del,key,extra,ierr)
 val=5; call MPI_Comm_set_attr(MPI_COMM_SELF,key,val,ierr)
 call MPI_Comm_dup(MPI_COMM_SELF,d,ierr)
 call MPI_Comm_get_attr(d,key,val,flag,ierr); print *,flag,val
 call MPI_Comm_free(d,ierr)
 call MPI_Keyval_create(MPI_DUP_FN,MPI_NULL_DELETE_FN,oldkey,3,ierr)
 call MPI_Attr_put(MPI_COMM_SELF,oldkey,-9,ierr)
 call MPI_Comm_dup(MPI_COMM_SELF,d,ierr)
 call MPI_Attr_get(d,oldkey,oldval,flag,ierr); print *,flag,oldval
 call MPI_Comm_create_errhandler(eh,e,ierr)
 call MPI_Comm_set_errhandler(MPI_COMM_WORLD,e,ierr)
 call MPI_Send(key,1,MPI_INTEGER,99,0,MPI_COMM_WORLD,ierr)
 call MPI_Error_class(ierr,code,l); call MPI_Error_string(code,s,l,ierr); print *,code,s(1:l)
 call MPI_Finalize(ierr)
end program
